// What the solvers share. A solver is a function without memory: it looks at the page as it is now and returns the next
// action, or null when nothing is left to do. Nothing here changes the page.

// The document of the task: that of the frame for flight tasks.
const taskDocument = document.getElementById('wrap')?.contentDocument ?? document;

const all = (css, root = taskDocument) => [...root.querySelectorAll(css)];
const one = (css, root = taskDocument) => root.querySelector(css);
const textOf = (element) => element.textContent.replace(/\s+/g, ' ').trim();
const withText = (css, text) => all(css).find((element) => textOf(element) === text);
const isShown = (element) => !!element && element.getClientRects().length > 0;

// The instruction as the page words it, its quoted parts, and the parts that a pattern captures.
const query = textOf(document.getElementById('query'));
const quoted = [...query.matchAll(/"([^"]*)"/g)].map((match) => match[1]);
const words = (pattern) => (query.match(pattern) ?? []).slice(1);

// Where an element is, as observations say it: its absolute XPath, whether that is within a frame, and its box.
const address = (element) => {
  let xpath = '';
  for (let node = element; node?.nodeType === Node.ELEMENT_NODE; node = node.parentNode) {
    const twins = [...(node.parentNode?.children ?? [])].filter((child) => child.localName === node.localName);
    const isHtml = node.namespaceURI === 'http://www.w3.org/1999/xhtml';
    const name = isHtml ? node.localName : `*[name()='${node.localName}']`;
    xpath = `/${name}[${twins.indexOf(node) + 1}]${xpath}`;
  }
  const { x, y, width, height } = element.getBoundingClientRect();
  const frame = element.ownerDocument.defaultView.frameElement;
  const origin = frame?.getBoundingClientRect() ?? { x: 0, y: 0 };
  const bounds = { x: x + origin.x, y: y + origin.y, width, height };
  return { tag: element.localName, xpath, framed: frame !== null, bounds };
};

// Actions. Those that set a state are null where the state is already there, so that solvers read as lists of wishes.
const click = (element) => element && { do: 'click', ...address(element) };
const type = (element, text) => (element.value === text ? null : { do: 'type', text, ...address(element) });
const check = (element, checked) => (element.checked === checked ? null : { do: 'check', checked, ...address(element) });
const select = (element, labels) => {
  const chosen = [...element.selectedOptions].map((option) => option.text);
  const same = chosen.length === labels.length && labels.every((label) => chosen.includes(label));
  return same ? null : { do: 'select', labels, ...address(element) };
};

// The first wish that is not fulfilled yet.
const firstOf = (...wishes) => {
  for (const wish of wishes) {
    const action = typeof wish === 'function' ? wish() : wish;
    if (action) return action;
  }
  return null;
};
