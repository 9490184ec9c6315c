// One right place to click, sometimes behind a disclosure that has to be opened first.

// Opens what hides the wanted link, then clicks it.
const linkBehind = (opener) => {
  const link = withText('.alink', quoted[0]);
  return click(isShown(link) ? link : opener(link));
};
const tabOf = (link) => one(`a[href="#${link.closest('[id^=tabs-]').id}"]`);
const headerOf = (link) => link.closest('.ui-accordion-content').previousElementSibling;

const treeEntry = () => {
  const entry = withText('#tree span', quoted[0]);
  let closed = null;
  for (let item = entry.parentElement.parentElement.closest('li'); item; item = item.parentElement.closest('li')) {
    if (!isShown(one('ul > li', item))) closed = item;
  }
  // A folder's name listens itself; a file's whole line does.
  const folder = closed ? one('span', closed) : entry.matches('.folder') && entry;
  return click(folder || entry.parentElement);
};

const menuItem = () => {
  const icon = one('#query .ui-icon')?.className.match(/ui-icon-[\w-]+/)[0];
  const item = icon ? one(`#menu .${icon}`).closest('li') : all('#menu li').find((li) => textOf(li) === quoted[1]);
  if (!isShown(one('#menu'))) return click(one('#open-menu'));
  return click(one('div', isShown(item) ? item : item.parentElement.closest('li')));
};

const pieSlice = () => {
  const title = withText('#divWheel text[id*="-title-"]', quoted[0]);
  return click(title.getBoundingClientRect().width > 2 ? title : one('#divWheel text[id$="-spreadertitle"]'));
};

const solvers = {
  'click-button': () => click(withText('button', quoted[0])),
  'click-collapsible': () => click(isShown(one('.ui-accordion-content')) ? one('#subbtn') : one('#area h3')),
  'click-collapsible-2-nodelay': () => linkBehind(headerOf),
  'click-dialog': () => click(one('.ui-dialog-titlebar-close')),
  'click-dialog-2': () =>
    click(quoted[0] === 'x' ? one('.ui-dialog-titlebar-close') : withText('.ui-dialog-buttonset button', quoted[0])),
  'click-link': () => linkBehind(() => null),
  'click-menu-2': menuItem,
  'click-pie-nodelay': pieSlice,
  'click-tab': () => click(withText('#area a', words(/^Click on (.*)\.$/)[0])),
  'click-tab-2': () => linkBehind(tabOf),
  'click-tab-2-hard': () => linkBehind(tabOf),
  'click-test': () => click(one('#subbtn')),
  'click-test-2': () => click(one('#subbtn')),
  'click-widget': () => click(one(`[data-type="${quoted[0]}"]`)),
  'focus-text': () => click(one('#tt')),
  'focus-text-2': () => click(all('#area input')[words(/the (\d)/)[0] - 1]),
  'grid-coordinate': () => click(document.getElementById(words(/(\(.*\))/)[0])),
  'navigate-tree': treeEntry,
};
