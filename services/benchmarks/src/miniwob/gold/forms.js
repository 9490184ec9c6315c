// Fields, checkboxes, lists and their submit buttons.

const submit = () => click(one('#subbtn'));

const checkboxes = (isWanted) => {
  const names = words(/^Select (?:words similar to )?(.*) and click Submit\.$/)[0].split(', ');
  const wishes = all('#area label').map((label) => () => check(one('input', label), isWanted(textOf(label), names)));
  return firstOf(...wishes, submit);
};
const byName = (label, names) => names.includes(label);
const bySynonym = (label, names) =>
  SYNONYMS.some((group) => group.includes(label) && names.some((name) => group.includes(name)));

const enterText = (text) => firstOf(type(one('#tt'), text), submit);

const movieSearch = () => {
  const [genre, director, year] = words(/^Search for (.*) movies directed by (.*) from year (\d+)\.$/);
  const field = (label) =>
    all('#area input').find((input) => label.test(textOf(input.closest('p, .row, tr, .field, .ui-entry'))));
  return firstOf(
    type(field(/Genre/), genre),
    type(field(/Director/), director),
    type(field(/Year|Date/), year),
    () => click(one('#area button, #area .final, #area .ui-submit')),
  );
};

const scrollList = () => {
  const wanted = `, ${words(/^Select (.*) from the scroll list/)[0]}, `;
  const labels = all('#options option').map((option) => option.text);
  const chosen = labels.filter((label) => wanted.includes(`, ${label}, `));
  return firstOf(select(one('#options'), chosen), () => click(withText('button', 'Submit')));
};

const tableValue = () => {
  const key = words(/^Enter the value of (.*) into the text field/)[0];
  const row = all('#tab tr').find((row) => textOf(row.cells[0]) === key);
  return enterText(textOf(row.cells[1]));
};

const solvers = {
  'click-checkboxes': () => checkboxes(byName),
  'click-checkboxes-large': () => checkboxes(byName),
  'click-checkboxes-soft': () => checkboxes(bySynonym),
  'click-option': () => {
    const name = words(/^Select (.*) and click Submit\.$/)[0];
    return firstOf(check(one('input', withText('#area label', name)), true), submit);
  },
  'click-scroll-list': scrollList,
  'enter-password': () => firstOf(type(one('#password'), quoted[0]), type(one('#verify'), quoted[0]), submit),
  'enter-text': () => enterText(quoted[0]),
  'enter-text-2': () => enterText(/all upper case/.test(query) ? quoted[0].toUpperCase() : quoted[0].toLowerCase()),
  'enter-text-dynamic': () => enterText(quoted[0]),
  'login-user': () => firstOf(type(one('#username'), quoted[0]), type(one('#password'), quoted[1]), submit),
  'multi-layouts': movieSearch,
  'multi-orderings': movieSearch,
  'read-table': tableValue,
};
