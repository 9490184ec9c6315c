// Calendars and flight searches.

// jQuery's calendar of one month, with arrows.
const pickDate = (field, date) => {
  if (field.value === date) return null;
  if (!isShown(one('#ui-datepicker-div'))) return click(field);
  const [month, day, year] = date.split('/').map(Number);
  const shown = new Date(`${textOf(one('.ui-datepicker-month'))} 1, ${textOf(one('.ui-datepicker-year'))}`);
  const away = (year - shown.getFullYear()) * 12 + (month - 1 - shown.getMonth());
  if (away !== 0) return click(one(away < 0 ? '.ui-datepicker-prev' : '.ui-datepicker-next'));
  return click(withText('#ui-datepicker-div td a', String(day)));
};

// A field with suggestions: the text is typed in full, and the suggestion taken so that its list is out of the way.
const suggested = (field, text, suggestions) =>
  firstOf(type(field, text), () => click(all(suggestions).find((item) => isShown(item) && textOf(item) === text)));

const bookFlight = () => {
  const [wish, from, to, date] = words(/^Book the (\w+) one-way flight from: (.*) to: (.*) on (.*)\.$/);
  const airport = (part) => DOMESTIC_FLIGHTS.find((name) => name.includes(part));
  if (isShown(one('#results'))) {
    const measure = wish === 'cheapest' ? '.flight-price' : '.time-duration';
    const value = (flight) => Number(Object.values(one(measure, flight).dataset)[0]);
    const best = all('.flight').reduce((a, b) => (value(b) < value(a) ? b : a));
    return click(one('.flight-price', best));
  }
  return firstOf(
    suggested(one('#flight-from'), airport(from), '.ui-autocomplete li'),
    suggested(one('#flight-to'), airport(to), '.ui-autocomplete li'),
    pickDate(one('#datepicker'), date),
    () => click(one('#search')),
  );
};

const alaska = () => {
  const wanted = (name) => core.currentQuestion.request[`SearchFields.${name}`];
  // The calendar is opened for one of the two dates, and stays open after the day was clicked.
  const calendar = one('#cal-modal-window');
  const day = (purpose, field, date) => {
    if (!date || field.value === date) return null;
    if (!calendar) return click(field);
    const isOurs = textOf(one('#cal-top-text')) === purpose;
    return click(isOurs ? withText('a.cal-day', date.split('/')[1]) : one('#btnDone'));
  };
  const travellers = () => {
    const buttons = all('.tnum-button');
    const more = Number(wanted('NumberOfTravelers')) - Number(one('#num-travelers').value);
    return more === 0 ? null : click(buttons[more > 0 ? 1 : 0]);
  };
  const cabin = () => {
    if (one(`#cabin-container input[value="${wanted('CabinType')}"]`).checked) return null;
    const label = one(`label[for="cabin-${wanted('CabinType').toLowerCase()}"]`);
    return click(isShown(label) ? label : one('#moreoptionsdiv h2'));
  };
  return firstOf(
    (wanted('SearchType') === 'OneWay') === one('#srh-isow').checked ? null : click(one('label[for="srh-isow"]')),
    suggested(one('#geo-from'), wanted('DepartureCity'), '.input-selections li'),
    suggested(one('#geo-to'), wanted('ArrivalCity'), '.input-selections li'),
    () => day('departure', one('#departure-date'), wanted('DepartureDate')),
    () => day('return', one('#return-date'), wanted('ReturnDate')),
    () => calendar && click(one('#btnDone')),
    travellers,
    cabin,
    () => click(one('#searchForm input[type="submit"]')),
  );
};

const americanAirlines = () => {
  const wanted = core.currentQuestion.request;
  const field = (name) => one(`[name="${name}"]`);
  const day = (name) => {
    if (field(name).value === wanted[name]) return null;
    if (!isShown(one('#inlineCalendar'))) return click(field(name));
    const [month, date, year] = wanted[name].split('/').map(Number);
    const cells = all(`#inlineCalendar td[data-month="${month - 1}"][data-year="${year}"]`);
    return click(one('a', cells.find((cell) => textOf(cell) === String(date))));
  };
  return firstOf(
    type(field('segments[0].origin'), wanted['segments[0].origin']),
    type(field('segments[0].destination'), wanted['segments[0].destination']),
    () => day('segments[0].travelDate'),
    () => day('segments[1].travelDate'),
    () => click(one('#flightSearchView button[type="submit"]')),
  );
};

const solvers = {
  'book-flight-nodelay': bookFlight,
  'choose-date': () =>
    firstOf(pickDate(one('#datepicker'), words(/^Select (.*) as the date/)[0]), () => click(one('#subbtn'))),
  'flight.AA': americanAirlines,
  'flight.Alaska': alaska,
  'flight.Alaska-auto': alaska,
};
