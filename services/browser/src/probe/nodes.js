// The observation: one walk over the flat tree of the page, its same-origin frames and open shadow roots. The walk only
// reads; the first read of a box lays the page out once, nothing written in between makes it do so again.

let walk = null; // state of the walk under way
let keys = new SafeWeakMap(); // element -> its number, for the life of the document
let nextKey = 1;

const keyOf = (element) => {
  let key = weakGet(keys, element);
  if (key === undefined) weakSet(keys, element, (key = nextKey++));
  return key;
};

const quote = stringify; // of a string: never consults toJSON
const number = (value) => '' + round(value * 10) / 10;
const text200 = (text) => clip(fold(text), 200);

// One level of the walk: what an element's descendants need to know of it.
const level = (parent, element, tag, position) => ({ parent, element, tag, position, own: '', key: 0, cursor: false, counts: { __proto__: null } });

function xpathOf(place) {
  let path = '';
  for (let at = place; at && at.tag; at = at.parent) {
    const step = namespaceURI(at.element) === HTML ? at.tag : "*[name()='" + at.tag + "']";
    path = '/' + step + '[' + at.position + ']' + path;
  }
  return path;
}

function surroundings(place) {
  for (let at = place.parent; at; at = at.parent) if (at.own) return at.own;
  return '';
}

// Walks the children of a node; answers their visible text.
function walkChildren(node, place) {
  let text = '';
  for (let child = firstChild(node); child; child = nextSibling(child)) text += walkNode(child, place);
  return text;
}

function walkNode(child, place) {
  const type = nodeType(child);
  if (type === TEXT) return place.hidden ? '' : characters(child);
  return type === ELEMENT ? walkElement(child, place) : '';
}

// The text that stands directly in an element.
function ownText(element) {
  let text = '';
  for (let child = firstChild(element); child; child = nextSibling(child)) if (nodeType(child) === TEXT) text += characters(child);
  return text === '' ? '' : text200(text);
}

function walkElement(element, parent) {
  const tag = localName(element);
  if (SKIPPED[tag]) return '';
  const position = (parent.counts[tag] = (parent.counts[tag] || 0) + 1);
  let style = null;
  const styleOf = (name) => styleValue(style || (style = computedStyle(element)), name);
  if (!checkVisibility(element)) {
    if (styleOf('display') !== 'contents') return '';
  }
  if (walk.count >= walk.limit) {
    walk.truncated = true;
    return '';
  }
  const isSvg = namespaceURI(element) === SVG;
  const place = level(parent, element, tag, position);
  place.hidden = !checkVisibility(element, { visibilityProperty: true });
  place.clip = parent.clip;
  place.key = parent.key;
  place.cursor = parent.cursor;
  place.own = place.hidden || tag === 'select' ? '' : ownText(element);
  const pointer = styleOf('cursor') === 'pointer';
  place.cursor = pointer;
  const role = roleOf(element, tag);
  const by = place.hidden ? null : interactivity(element, tag, role, isSvg, pointer && !parent.cursor);
  const box = clientRect(element);
  const scrolls = scrollable(element, tag, styleOf);
  const hover = !place.hidden && (listensTo(element).hover > 0 || hasHandler(element, 'hover', isSvg));
  const frame = tag === 'iframe' || tag === 'frame';
  const wanted = !place.hidden && (box.width > 0 || box.height > 0 || tag === 'area') &&
    (by !== null || hover || scrolls || place.own !== '' || frame || tag === 'canvas' || STRUCTURE[role] || (isSvg && SHAPE[tag] && hasAttribute(element, 'id')));
  let entry = null;
  if (wanted) {
    entry = { key: keyOf(element), parent: parent.key, json: '' };
    walk.order[walk.count] = entry;
    walk.count += 1;
    mapSet(walk.elements, entry.key, element);
    place.key = entry.key;
  }
  if (scrolls) place.clip = intersect(place.clip, walk.offsetX + box.left, walk.offsetY + box.top, box.width, box.height);
  let text = '';
  if (frame) walkFrame(element, place, box);
  else if (tag === 'select' || tag === 'datalist') text = '';
  else {
    const root = shadowRoot(element);
    if (root) {
      const inner = level(null, null, '', 0);
      inner.clip = place.clip;
      inner.key = place.key;
      inner.cursor = place.cursor;
      inner.shadow = true;
      text = walkChildren(root, inner);
    } else if (tag === 'slot') {
      const assigned = assignedNodes(element, { flatten: true });
      if (assigned.length === 0) text = walkChildren(element, place);
      for (let i = 0; i < assigned.length; i += 1) text += walkNode(assigned[i], place);
    } else text = walkChildren(element, place);
  }
  place.shadow = parent.shadow || false;
  if (text.length > 1000) text = stringSlice(text, 0, 1000);
  if (entry) entry.json = describe({ element, tag, role, isSvg, by, hover, scrolls, box, text: text200(text), place, styleOf });
  if (tag === 'br') return ' ';
  return INLINE[tag] || isSvg && tag === 'tspan' ? text : ' ' + text + ' ';
}

function interactivity(element, tag, role, isSvg, pointer) {
  if (tag === 'a' || tag === 'area') {
    if (hasAttribute(element, 'href')) return 'native';
  } else if (tag === 'button' || tag === 'select' || tag === 'textarea' || tag === 'summary' || tag === 'option') return 'native';
  else if (tag === 'input') return control(element, tag, 'type') === 'hidden' ? null : 'native';
  else if ((tag === 'audio' || tag === 'video') && hasAttribute(element, 'controls')) return 'native';
  else if (tag === 'html' || tag === 'body') return null;
  if (WIDGET[role] && role !== 'option' || role === 'option') return 'aria';
  const tabindex = getAttribute(element, 'tabindex');
  if (tabindex !== null && +tabindex >= 0) return 'aria';
  const editable = getAttribute(element, 'contenteditable');
  if (editable !== null && editable !== 'false') return 'aria';
  const heard = listensTo(element);
  if (heard.click > 0 || heard.key > 0 || hasHandler(element, 'click', isSvg)) return 'listener';
  return pointer ? 'cursor' : null;
}

function scrollable(element, tag, styleOf) {
  if (tag === 'html' || tag === 'body' || FIELD[tag] && tag !== 'textarea') return false;
  if (scrollHeight(element) <= clientHeight(element) + 1 && scrollWidth(element) <= clientWidth(element) + 1) return false;
  if (clientHeight(element) === 0) return false;
  const overflow = styleOf('overflow-y') + ' ' + styleOf('overflow-x');
  return regExpExec(/auto|scroll/, overflow) !== null;
}

const intersect = (clip, x, y, width, height) => ({
  left: max(clip.left, x), top: max(clip.top, y), right: min(clip.right, x + width), bottom: min(clip.bottom, y + height),
});

// The deepest element under a point of a document, through open shadow roots.
function elementAt(root, x, y) {
  let hit = documentAt(root, x, y);
  for (;;) {
    const inner = hit && shadowRoot(hit);
    const deeper = inner && shadowAt(inner, x, y);
    if (!deeper || deeper === hit) return hit;
    hit = deeper;
  }
}

// The element's parent in the flat tree.
function flatParent(element) {
  const slot = assignedSlot(element);
  if (slot) return slot;
  const parent = parentNode(element);
  return parent && nodeType(parent) === 11 ? parent.host : parent;
}

function isWithin(element, ancestor) {
  for (let at = element; at; at = nodeType(at) === 9 ? null : flatParent(at)) if (at === ancestor) return true;
  return false;
}

// Whether a click at a hit reaches the element: it is the element, within it, or its label.
function reaches(hit, element, tag) {
  if (!hit) return false;
  if (isWithin(hit, element)) return true;
  if (tag === 'option' || tag === 'area') return true;
  const labels = control(element, tag, 'labels');
  if (labels) for (let i = 0; i < listLength(labels); i += 1) if (isWithin(hit, listItem(labels, i))) return true;
  return false;
}

function visibilityOf(element, tag, box, place) {
  const x = box.left + box.width / 2;
  const y = box.top + box.height / 2;
  const { clip: area } = place.parent || place;
  const inViewX = x + walk.offsetX;
  const inViewY = y + walk.offsetY;
  if (inViewX < area.left || inViewX >= area.right || inViewY < area.top || inViewY >= area.bottom) return 'offscreen';
  return reaches(elementAt(walk.document, x, y), element, tag) ? 'visible' : 'covered';
}

// A frame of the same origin is walked in place; of another, it is left to a call of its own.
function walkFrame(element, place, box) {
  const inner = frameDocument(element);
  const index = walk.frames.length;
  const x = walk.offsetX + box.left + clientLeft(element) + padding(element, 'padding-left');
  const y = walk.offsetY + box.top + clientTop(element) + padding(element, 'padding-top');
  const width = clientWidth(element);
  const height = clientHeight(element);
  walk.frames[index] = '{"parent":' + walk.frame + ',"url":' + quote(inner ? documentUrl(inner) : element.src || '') +
    ',"xpath":' + quote(xpathOf(place)) + (inner ? '' : ',"cross_origin":true') + '}';
  if (!inner || !documentElement(inner)) {
    if (!inner) walk.foreign[walk.foreign.length] = '{"frame":' + index + ',"key":' + keyOf(element) + ',"x":' + number(x) + ',"y":' + number(y) +
      ',"width":' + number(width) + ',"height":' + number(height) + '}';
    return;
  }
  const outer = { document: walk.document, frame: walk.frame, offsetX: walk.offsetX, offsetY: walk.offsetY, listensTo: walk.listensTo };
  const probe = frameWindow(element)[KEY];
  walk.listensTo = probe ? probe.listensTo : null;
  walk.document = inner;
  walk.frame = index;
  walk.offsetX = x;
  walk.offsetY = y;
  const top = level(null, null, '', 0);
  top.clip = intersect(place.clip, x, y, width, height);
  top.key = place.key;
  walkElement(documentElement(inner), top);
  walk.document = outer.document;
  walk.frame = outer.frame;
  walk.offsetX = outer.offsetX;
  walk.offsetY = outer.offsetY;
  walk.listensTo = outer.listensTo;
}
const padding = (element, side) => parseFloat(styleValue(computedStyle(element), side)) || 0;
