// A page that re-renders replaces its elements by equal ones. An action on a replaced element means the one in its
// place.

const IDENTITY = ['id', 'name', 'type', 'data-testid', 'data-test', 'data-cy', 'data-qa', 'placeholder', 'aria-label'];

function isAlike(one, other) {
  const tag = localName(one);
  if (tag !== localName(other)) return false;
  const role = roleOf(one, tag);
  if (role !== roleOf(other, tag) || linkOf(one) !== linkOf(other)) return false;
  for (let i = 0; i < IDENTITY.length; i += 1) if (getAttribute(one, IDENTITY[i]) !== getAttribute(other, IDENTITY[i])) return false;
  return FIELD[tag] === true || fold(textContent(one) || '') === fold(textContent(other) || '');
}

const everyByTag = methodOf(Document.prototype, 'getElementsByTagName');
const previousOf = getterOf(Element.prototype, 'previousElementSibling');
// The steps from the root to an element as it stands now, written as `xpathOf` writes them.
function pathOf(element) {
  let path = '';
  for (let at = element; at && nodeType(at) === ELEMENT; at = parentNode(at)) {
    let position = 1;
    const tag = localName(at);
    for (let before = previousOf(at); before; before = previousOf(before)) if (localName(before) === tag) position += 1;
    path = xpathStep(at, tag, position) + path;
  }
  return path;
}

const replaced = new SafeWeakMap(); // replacement, not observed itself -> entry of what it replaced
const hosts = new SafeWeakMap(); // host of a shadow tree -> where it stood: it need not be listed itself
// What is known of an element, or of the one that it replaced.
const knownOf = (element) => weakGet(entries, element) || weakGet(replaced, element) || weakGet(hosts, element);

// The steps to an element as it stood when it was walked. None where its way leads through a slot: that is not its place in its tree.
function pathBefore(known) {
  const place = known.facts ? known.facts.place : null;
  for (let at = place; at; at = at.parent) if (at.tag === 'slot') return '';
  return place ? xpathOf(place) : '';
}

function only(all, fits) {
  const some = newList();
  for (let i = 0; i < all.length; i += 1) if (fits(all[i])) some[some.length] = all[i];
  return some;
}

// The elements of a kind in a tree, as it is now. None where it was the tree of a component that is gone.
function allOf(root, tag) {
  const found = newList();
  let host = nodeType(root) === 11 ? rootHost(root) : null;
  if (host && !isConnected(host)) host = twinOf(host);
  if (nodeType(root) === 11 && !host) return found;
  const tree = host && shadowRoot(host);
  if (host && !tree) return found;
  const all = tree ? fragmentQueryAll(tree, tag) : everyByTag(root, tag);
  const length = tree ? listLength(all) : optionsLength(all);
  for (let i = 0; i < length && i < 5000; i += 1) found[i] = tree ? listItem(all, i) : optionsItem(all, i);
  return found;
}

// How many elements like this one stood in its tree when the page was last observed.
function countBefore(element, root) {
  const counted = new SafeSet();
  mapForEach(elements, (other) => {
    const known = knownOf(other);
    const host = known && nodeType(known.root) === 11 ? rootHost(known.root) : null;
    if (known && known.root === root && isAlike(other, element)) setAdd(counted, other);
    const ofHost = host && knownOf(host);
    if (ofHost && ofHost.root === root && isAlike(host, element)) setAdd(counted, host);
  });
  return setSize(counted);
}

// The replacement of a removed element: the only one like it, where it was the only one; of several the one in its place, where
// there are still as many.
function twinOf(element) {
  const known = knownOf(element);
  if (!known || !known.root) return null;
  const before = max(1, countBefore(element, known.root));
  let alike = only(allOf(known.root, localName(element)), (other) => isAlike(other, element));
  // Of several, hidden ones were not observed either.
  if (alike.length > before) alike = only(alike, (other) => checkVisibility(other, SHOWN));
  if (alike.length !== before) return null;
  if (before === 1) return alike[0];
  const path = pathBefore(known);
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
