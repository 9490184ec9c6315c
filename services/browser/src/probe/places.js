// Candidate points for pressing an element: points that belong to it and to no nested control, points of its stand-in
// if it is invisible, or points of its shape.

const makeRange = methodOf(Document.prototype, 'createRange');
const spanNode = methodOf(Range.prototype, 'selectNode');
const spanRects = methodOf(Range.prototype, 'getClientRects');
const attributeQuery = methodOf(Document.prototype, 'querySelectorAll');
const SPREAD = [0.5, 0.25, 0.75, 0.1, 0.9]; // of a box, in both directions
const BOXES = 12; // of a text or an element in lines that are tried

// How strongly an element takes a press for itself. 2: by its kind, 1: only because it listens, 0: not at all.
function controlStrength(element) {
  const tag = localName(element);
  if (tag === 'label') return labelControl(element) ? 2 : 0;
  if (tag === 'iframe' || tag === 'frame') return 2;
  const by = interactivity(element, tag, roleOf(element, tag), namespaceURI(element) === SVG, false);
  return by === null ? 0 : by === 'listener' ? 1 : 2;
}

// The outermost control between a hit and the element that it lies in; none where the hit is the element's own.
function controlBetween(hit, element) {
  let found = null;
  for (let at = hit; at && at !== element; at = nodeType(at) === 9 ? null : flatParent(at)) {
    if (nodeType(at) !== ELEMENT || localName(at) === 'option') continue; // an option is a part of its list
    const strength = controlStrength(at);
    if (strength === 0) continue;
    if (localName(at) === 'label' && labelControl(at) === element) continue;
    if (localName(element || at) === 'label' && element && labelControl(element) === at) continue;
    if (isEditable(element) && strength === 1) continue; // an editor listens to what is within it
    if (!found || strength >= found.strength) found = { element: at, strength };
  }
  return found;
}

// The only control within an element that is no more than a wrapper of it.
function onlyControl(element) {
  let found = null;
  const visit = (node, depth) => {
    for (let child = firstChild(shadowRoot(node) || node); child; child = nextSibling(child)) {
      if (nodeType(child) !== ELEMENT || !checkVisibility(child, SHOWN)) continue;
      if (controlStrength(child) === 2) {
        if (found) return false;
        found = child;
      } else if (depth < 20 && !visit(child, depth + 1)) return false;
    }
    return true;
  };
  return visit(element, 0) ? found : null;
}

function inBox(box, points) {
  for (let i = 0; i < SPREAD.length; i += 1) {
    for (let j = 0; j < SPREAD.length; j += 1) {
      points[points.length] = { x: box.left + box.width * SPREAD[j], y: box.top + box.height * SPREAD[i] };
    }
  }
}
const middles = (rects, points) => {
  for (let i = 0; i < rectsLength(rects) && i < BOXES; i += 1) {
    const box = rectOf(rectsItem(rects, i));
    if (box.width > 0 && box.height > 0) points[points.length] = { x: box.left + box.width / 2, y: box.top + box.height / 2 };
  }
};

// Points of an element in the coordinates of its document, the best first: its middle, its own text, its lines, a grid.
function pointsOf(element) {
  const points = newList();
  const box = clientRect(element);
  points[0] = { x: box.left + box.width / 2, y: box.top + box.height / 2 };
  for (let child = firstChild(element); child; child = nextSibling(child)) {
    if (nodeType(child) !== TEXT || fold(characters(child), 1) === '') continue;
    const range = makeRange(ownerDocument(element));
    spanNode(range, child);
    middles(spanRects(range), points);
  }
  middles(clientRects(element), points); // a link that wraps has a box for each line
  inBox(box, points);
  const edge = { x: min(4, box.width / 4), y: min(4, box.height / 4) };
  inBoxCorners(box, edge, points);
  return points;
}
function inBoxCorners(box, edge, points) {
  for (let i = 0; i < 4; i += 1) {
    points[points.length] = { x: i % 2 ? box.left + box.width - edge.x : box.left + edge.x, y: i < 2 ? box.top + edge.y : box.top + box.height - edge.y };
  }
}

// The picture of which an area is a part.
function pictureOf(area) {
  let map = area;
  while (map && localName(map) !== 'map') map = parentNode(map);
  const name = map && nodeType(map) === ELEMENT && getAttribute(map, 'name');
  if (!name) return null;
  const pictures = attributeQuery(ownerDocument(area), 'img[usemap],object[usemap]');
  for (let i = 0; i < listLength(pictures); i += 1) {
    const picture = listItem(pictures, i);
    if (getAttribute(picture, 'usemap') === '#' + name && checkVisibility(picture, SHOWN)) return picture;
  }
  return null;
}

// The box around an area's shape, within its picture.
function areaBox(area) {
  const picture = pictureOf(area);
  if (!picture) return { left: 0, top: 0, width: 0, height: 0 };
  const box = clientRect(picture);
  const shape = stringLower(getAttribute(area, 'shape') || 'rect');
  const n = numbersOf(getAttribute(area, 'coords') || '');
  if (shape === 'default' || n.length < 3) return box;
  const width = layoutWidth(picture) || box.width;
  const height = layoutHeight(picture) || box.height;
  let left = Infinity;
  let top = Infinity;
  let right = -Infinity;
  let bottom = -Infinity;
  if (stringStartsWith(shape, 'circ')) {
    left = n[0] - n[2];
    right = n[0] + n[2];
    top = n[1] - n[2];
    bottom = n[1] + n[2];
  } else {
    for (let i = 0; i + 1 < n.length; i += 2) {
      left = min(left, n[i]);
      right = max(right, n[i]);
      top = min(top, n[i + 1]);
      bottom = max(bottom, n[i + 1]);
    }
  }
  const x = clientLeft(picture) + padding(picture, 'padding-left');
  const y = clientTop(picture) + padding(picture, 'padding-top');
  const across = box.width / width;
  const down = box.height / height;
  return { left: box.left + (x + left) * across, top: box.top + (y + top) * down, width: (right - left) * across, height: (bottom - top) * down };
}

// Whether nobody can see or press an element itself.
function cannotBeSeen(element) {
  if (!checkVisibility(element, SHOWN)) return true;
  const box = clientRect(element);
  if (box.width < 2 || box.height < 2) return true;
  const style = computedStyle(element);
  if (regExpExec(/^rect\((0px|0), ?(0px|0|1px), ?(0px|0|1px), ?(0px|0)\)|^rect\(1px, ?1px, ?1px, ?1px\)/, styleValue(style, 'clip')) !== null) return true;
  if (regExpExec(/inset\((50|100)%|circle\(0/, styleValue(style, 'clip-path')) !== null) return true;
  return box.left + box.width + scrolledLeft(element) <= 0 || box.top + box.height + scrolledY(defaultView(ownerDocument(element))) <= 0;
}
const pageLeft = getterOf(window, 'scrollX');
const scrolledLeft = (element) => pageLeft(defaultView(ownerDocument(element)));

// The element that a person presses instead of an invisible check box, radio button or file field: its label. A file
// field may have a button beside it, or else its container. An area is seen on its picture. None where the element is
// visible.
function standIn(element, tag) {
  if (tag === 'area') return pictureOf(element);
  if (tag !== 'input') return null;
  const type = control(element, tag, 'type');
  if (type !== 'checkbox' && type !== 'radio' && type !== 'file') return null;
  if (!cannotBeSeen(element)) return null;
  const labels = control(element, tag, 'labels');
  for (let i = 0; labels && i < listLength(labels); i += 1) {
    const label = listItem(labels, i);
    if (isSeenBox(label)) return label;
  }
  if (type !== 'file') return null;
  const parent = flatParent(element);
  if (!parent || nodeType(parent) !== ELEMENT) return null;
  if (!checkVisibility(parent, SHOWN)) return onlyButtonAround(parent);
  for (let child = firstChild(parent); child; child = nextSibling(child)) {
    if (nodeType(child) === ELEMENT && localName(child) === 'button' && isSeenBox(child)) return child;
  }
  return isSeenBox(parent) ? parent : null;
}
// The only button that sends nothing in what surrounds a box that is not displayed, for the field for files within that box.
function onlyButtonAround(box) {
  let around = box;
  for (let levels = 0; around && nodeType(around) === ELEMENT && !checkVisibility(around, SHOWN); levels += 1) {
    // What a closed dialog or a hidden part of the page holds is for those who open it.
    if (levels === 3 || localName(around) === 'dialog' || localName(around) === 'details') return null;
    if (hasAttribute(around, 'popover') || hasAttribute(around, 'role')) return null;
    around = flatParent(around);
  }
  if (!around || nodeType(around) !== ELEMENT || localName(around) === 'body') return null;
  // Without a form, only what stands close by.
  if (localName(around) !== 'form' && flatParent(box) !== around) return null;
  const buttons = queryEvery(around, 'button[type=button],[role=button]');
  let only = null;
  for (let i = 0; i < listLength(buttons) && i < 100; i += 1) {
    if (!isSeenBox(listItem(buttons, i))) continue;
    if (only) return null;
    only = listItem(buttons, i);
  }
  return only;
}
function isSeenBox(element) {
  if (!checkVisibility(element, SHOWN)) return false;
  const box = clientRect(element);
  return box.width >= 2 && box.height >= 2;
}
