// A page that re-renders replaces its elements by equal ones. An action on a replaced element means the one in its
// place.

const IDENTITY = ['id', 'name', 'type', 'data-testid', 'data-test', 'data-cy', 'data-qa', 'href', 'placeholder', 'aria-label'];

function isAlike(one, other) {
  if (localName(one) !== localName(other)) return false;
  const tag = localName(one);
  const role = roleOf(one, tag);
  if (role !== roleOf(other, tag)) return false;
  for (let i = 0; i < IDENTITY.length; i += 1) if (getAttribute(one, IDENTITY[i]) !== getAttribute(other, IDENTITY[i])) return false;
  return FIELD[tag] === true || fold(textContent(one) || '') === fold(textContent(other) || '');
}

const everyByTag = methodOf(Document.prototype, 'getElementsByTagName');
// The steps from the root to an element as it stands now.
function pathOf(element) {
  let path = '';
  for (let at = element; at && nodeType(at) === ELEMENT; at = parentNode(at)) {
    let position = 1;
    const tag = localName(at);
    for (let before = previousOf(at); before; before = previousOf(before)) if (localName(before) === tag) position += 1;
    path = '/' + tag + '[' + position + ']' + path;
  }
  return path;
}
const previousOf = getterOf(Element.prototype, 'previousElementSibling');

const replaced = new SafeWeakMap(); // replacement, not observed itself -> entry of what it replaced
// What is known of an element, or of the one that it replaced.
const knownOf = (element) => weakGet(entries, element) || weakGet(replaced, element);

// The elements among which a removed one may have its replacement: those of its shadow root, or those of its tag in its document.
function elementsAround(element, entry) {
  let top = entry && entry.facts ? entry.facts.place : null;
  while (top && top.parent) top = top.parent;
  let host = top && top.host;
  if (host && !isConnected(host)) host = twinOf(host);
  const root = host && shadowRoot(host);
  const around = newList();
  if (root) {
    const all = fragmentQueryAll(root, '*');
    for (let i = 0; i < listLength(all) && i < 5000; i += 1) around[i] = listItem(all, i);
    return around;
  }
  if (top && top.host) return around; // the component is gone, and its parts with it
  const all = everyByTag(entry && entry.area ? entry.area.document : ownerDocument(element), localName(element));
  for (let i = 0; i < optionsLength(all) && i < 5000; i += 1) around[i] = optionsItem(all, i);
  return around;
}

// The replacement of a removed element: the only one like it, or of several the one in its place.
function twinOf(element) {
  const entry = knownOf(element);
  const alike = newList();
  const around = elementsAround(element, entry);
  for (let i = 0; i < around.length; i += 1) if (isAlike(around[i], element)) alike[alike.length] = around[i];
  if (alike.length === 1) return alike[0];
  const path = entry && entry.facts ? xpathOf(entry.facts.place) : '';
  for (let i = 0; i < alike.length; i += 1) if (path !== '' && pathOf(alike[i]) === path) return alike[i];
  return null;
}

// The element of a key, or what replaced it since.
function elementOf(key) {
  const element = mapGet(elements, key);
  if (!element) return null;
  if (isConnected(element)) return element;
  const twin = twinOf(element);
  if (twin) {
    mapSet(elements, key, twin);
    weakSet(replaced, twin, knownOf(element));
  }
  return twin;
}
