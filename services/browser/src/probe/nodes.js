// The observation: one walk over the flat tree of the page, its same-origin frames and open shadow roots. The walk only
// reads; the first read of a box lays the page out once, nothing written in between makes it do so again.

const LEVELS = 500; // of elements within elements: what lies deeper is left out, for this walk calls itself
let walk = null; // state of the walk under way

// Of a string: never consults toJSON. Half a character, as may be left of a cut, is none.
const quote = (text) => stringify(wellFormed(text));
const number = (value) => '' + round(value * 10) / 10;
const text200 = (text) => keep(fold(text, most(200)), 200);

// A document's place in the page: its offset, and the part of it that can be seen.
const areaOf = (owner, frame) => ({ document: owner, outer: null, frame, x: 0, y: 0, map: null, left: 0, top: 0, right: 0, bottom: 0 });
function setClip(area, outer, x, y, width, height) {
  area.left = max(outer.left, x);
  area.top = max(outer.top, y);
  area.right = min(outer.right, x + width);
  area.bottom = min(outer.bottom, y + height);
}

// One level of the walk: what an element's descendants need to know of it.
const levelOf = (parent, element, tag) => ({
  parent, element, tag, position: 0, own: '', key: 0, pointer: false, hidden: false, shadow: false, counts: { __proto__: null }, holder: null,
  area: parent ? parent.area : null, depth: parent ? parent.depth + 1 : 0, force: parent ? parent.force : true,
  // What can be seen in it, of what is positioned absolutely in it, and of what is fixed; whether nothing can.
  clip: parent ? parent.clip : NOWHERE, loose: parent ? parent.loose : NOWHERE, view: parent ? parent.view : NOWHERE, unseen: parent ? parent.unseen : false,
  letters: '', keepsLines: false, inkless: false, // how text in it is shown
});

const xpathStep = (element, tag, position) => '/' + (namespaceURI(element) === HTML ? tag : "*[name()='" + tag + "']") + '[' + position + ']';
function xpathOf(place) {
  let path = '';
  for (let at = place; at && at.tag; at = at.parent) path = xpathStep(at.element, at.tag, at.position) + path;
  return path;
}

function surroundings(place) {
  for (let at = place.parent; at; at = at.parent) if (at.own) return at.own;
  return '';
}

// The text that stands directly in front of a field, in the element that holds both; a line break may be between them.
function textBefore(element, place) {
  if (!place.parent || !place.parent.own) return '';
  let text = '';
  for (let child = firstChild(parentNode(element)); child && child !== element; child = nextSibling(child)) {
    if (nodeType(child) === TEXT) text += characters(child);
    else if (nodeType(child) === ELEMENT && localName(child) !== 'br') text = '';
  }
  return isBlank(text) ? '' : text200(text);
}

// The text that stands directly in an element.
function ownText(element) {
  let text = '';
  for (let child = firstChild(element); child; child = nextSibling(child)) if (nodeType(child) === TEXT) text += characters(child);
  return text === '' ? '' : text200(text);
}

// Walks the children of a node into `children`; answers their visible text as it stands in the document. How it is shown is
// then in `shown`: in other letters, with the faces of controls, a line for each block.
let shown = '';
function walkChildren(node, place, children) {
  let text = '';
  let face = '';
  for (let child = firstChild(node); child; child = nextSibling(child)) {
    text += walkNode(child, place, children);
    face += shown;
  }
  shown = face;
  return text;
}

function walkNode(child, place, children) {
  const type = nodeType(child);
  shown = '';
  if (type === TEXT) return walkText(child, place);
  return type === ELEMENT ? walkElement(child, place, children) : '';
}

function walkText(node, place) {
  if (place.hidden || place.unseen) return '';
  const text = characters(node);
  if (isBlank(text)) {
    shown = text === '' ? '' : ' ';
    return text;
  }
  if (place.letters === '') {
    const style = computedStyle(place.element || flatParent(node));
    place.letters = styleValue(style, 'text-transform');
    place.keepsLines = stringStartsWith(styleValue(style, 'white-space-collapse'), 'preserve');
    place.inkless = isInkless((name) => styleValue(style, name));
  }
  if (place.inkless || isNothing(place.clip)) return '';
  const box = boxOfText(node);
  if (!isTextSeen(box, place.clip) || (place.element && isTextCovered(place.element, box)) || (whole && place.element && isOverlaid(place.element, box))) return '';
  const read = whole ? readablePart(node, text, box, place.clip) : text;
  shown = flowed(inLetters(read, place.letters), place.keepsLines);
  return read;
}

// Lists the nodes of a subtree that has not changed.
function relist(record) {
  if (record.entry) list(record.entry);
  const { children } = record;
  for (let i = 0; i < children.length; i += 1) relist(children[i]);
}

function list(entry) {
  if (walk.count >= walk.limit) {
    walk.truncated = true;
    return;
  }
  walk.order[walk.count] = entry;
  walk.count += 1;
}

function walkElement(element, parent, siblings) {
  const tag = localName(element);
  shown = '';
  if (SKIPPED[tag]) return '';
  if (walk.count >= walk.limit || parent.depth >= LEVELS) {
    walk.truncated = true;
    return '';
  }
  const position = (parent.counts[tag] = (parent.counts[tag] || 0) + 1);
  const record = recordOf(element, tag);
  siblings[siblings.length] = record;
  const moved = parent.force || record.deep || record.position !== position || record.parentKey !== parent.key || record.area !== parent.area;
  if (record.clean && !moved) {
    relist(record);
    shown = record.shown;
    return record.text;
  }
  const place = levelOf(parent, element, tag);
  place.position = position;
  place.shadow = parent.shadow;
  record.position = position;
  record.parentKey = parent.key;
  record.area = parent.area;
  record.children = newList();
  record.entry = null;
  let style = null;
  const styleOf = (name) => styleValue(style || (style = computedStyle(element)), name);
  record.clean = true; // unless it turns out below that it must be walked every time
  record.deep = false;
  record.text = '';
  record.shown = '';
  const visible = checkVisibility(element, SHOWN);
  if (!visible || mapHas(flips, element)) mapSet(flips, element, visible);
  place.hidden = !visible && !checkVisibility(element, PAINTED);
  const stand = standIn(element, tag);
  if (stand) {
    place.hidden = false; // it is acted upon through what can be seen of it
    always(record);
  }
  const holder = revealedBy(element, styleOf);
  place.holder = holder || parent.holder;
  if (place.hidden && holder && !parent.hidden) {
    place.key = parent.key;
    walkRevealed(element, tag, place, record, holder);
    return '';
  }
  if (place.hidden && !checkVisibility(element)) {
    if (styleOf('display') === 'contents') place.hidden = styleOf('visibility') !== 'visible'; // it has no box of its own, its content has
    else if (queryOne(element, 'input[type=file]') === null) return '';
  } else if (!visible && !place.hidden) place.unseen = true;
  const placing = styleOf('position');
  const outer = clipOf(element, parent, placing);
  if (!place.unseen) place.unseen = isClippedAway(element, styleOf, placing) || (isCovered(element) && !isWithin(walk.cover, element));
  narrow(place, element, tag, styleOf, outer, placing);
  place.own = place.hidden || place.unseen || isNothing(place.clip) || tag === 'select' ? '' : ownText(element);
  place.pointer = styleOf('cursor') === 'pointer';
  place.key = parent.key;
  const isSvg = namespaceURI(element) === SVG;
  let role = roleOf(element, tag);
  if (!role && placing === 'fixed') {
    always(record); // a veil may come or go beside it
    if (isDrawnDialog(element, styleOf)) role = 'dialog';
  }
  const heard = place.hidden ? null : interactivity(element, tag, role, isSvg, place.pointer && !parent.pointer);
  const by = heard === 'listener' && !place.pointer && listensForParts(element) ? null : heard;
  const scrolls = scrollable(element, tag, styleOf);
  const hover = !place.hidden && (listensTo(element).hover > 0 || hasHandler(element, 'hover', isSvg));
  const frame = isFrame(element, tag);
  const item = !place.hidden && isItem(record, element, tag, role);
  let entry = null;
  const matters = by !== null || hover || scrolls || place.own !== '' || frame || tag === 'canvas' || STRUCTURE[role] || getAttribute(element, 'aria-busy') === 'true' ||
    (isSvg && SHAPE[tag] && hasAttribute(element, 'id'));
  // A field that cannot be seen is still what its label or its picture stands for; what hovering shows is there as well.
  const stands = stand !== null || (by !== null && (FIELD[tag] === true || place.holder !== null));
  if ((matters || item) && !place.hidden && (!place.unseen || stands)) {
    const box = contentBox(element);
    const isSeen = stands || !(isTiny(box) || isAway(box, outer) || (isNothing(place.clip) && min(box.width, box.height) < LEAST && place.clip !== outer));
    if ((isSeen && (box.width > 0 || box.height > 0)) || tag === 'area' || stand) {
      entry = weakGet(entries, element) || entryOf(element, tag, record.key);
      entry.stand = stand;
      entry.parent = parent.key;
      entry.area = parent.area;
      entry.root = getRootNode(element);
      entry.interactive = by !== null;
      entry.holder = by !== null ? place.holder : null;
      record.entry = entry;
      place.key = record.key;
      list(entry);
    }
  }
  // What descendants were told of this element may have changed with it.
  place.force = moved || record.own !== place.own || record.hidden !== place.hidden || record.unseen !== place.unseen || record.pointer !== place.pointer || record.listed !== (entry !== null);
  record.own = place.own;
  record.hidden = place.hidden;
  record.unseen = place.unseen;
  record.pointer = place.pointer;
  record.listed = entry !== null;
  if (scrolls) place.area = scrollArea(element, parent.area, record);
  const text = walkInside(element, tag, place, record, frame);
  if (whole && !frame && !place.hidden && !place.unseen) {
    const before = generated(element, '::before');
    const after = generated(element, '::after');
    if ((before || after) && !isBoxCovered(element)) shown = before + shown + after;
  }
  const inline = INLINE[tag] || (isSvg && tag === 'tspan');
  record.text = inline ? text : tag === 'br' ? ' ' : ' ' + text + ' ';
  record.shown = flowsOn(inline, isSvg, styleOf) ? shown : tag === 'br' ? '\n' : '\n' + shown + '\n';
  if (entry) {
    // Its name is what the document says, its text what is shown; of what shows only while its item is hovered, what shows then.
    const revealed = entry.holder !== null && place.unseen ? text200(textBelow(element, null, 200)) : '';
    entry.facts = {
      element, tag, role, isSvg, by, hover, scrolls, text: revealed || text200(record.shown), source: revealed || text200(text),
      place, item, bare: !matters,
    };
    entry.line = describe(entry.facts, styleOf);
    entry.signature = signatureOf(element, tag);
  }
  shown = record.shown;
  return record.text;
}

// Whether the text of the element that was just walked goes on in its line: as its style says, whatever its tag. Without a text, and
// for a box within a line, the tag is enough.
function flowsOn(inline, isSvg, styleOf) {
  if (shown === '' || isSvg) return inline;
  const display = styleOf('display');
  // So is the first letter of a text that flows around it.
  return display === 'inline' || display === 'contents' || (inline && (stringStartsWith(display, 'inline') || styleOf('float') !== 'none'));
}

// The visible text of what is within an element: its children, its shadow tree, its slotted nodes. A frame's is its own.
function walkInside(element, tag, place, record, frame) {
  shown = '';
  if (frame) {
    always(record);
    const box = clientRect(element);
    if (!place.hidden && !place.unseen && clientWidth(element) >= LEAST && clientHeight(element) >= LEAST && !isAway(box, clipOf(element, place.parent || place, styleValue(computedStyle(element), 'position'))) && !isBoxCovered(element)) {
      walkFrame(element, place, record);
    }
    shown = '';
    return '';
  }
  if (tag === 'select' || tag === 'input') {
    if (!place.hidden && !place.unseen && !isAway(clientRect(element), place.clip) && !isBoxCovered(element)) {
      const face = faceOf(element, tag);
      if (tag === 'select') mapSet(faces, element, face);
      shown = inLetters(face, styleValue(computedStyle(element), 'text-transform'));
    }
    return '';
  }
  if (tag === 'datalist') return '';
  if (tag === 'embed' && !place.unseen && !place.hidden && regExpExec(/^(image|audio|video)\//, getAttribute(element, 'type') || '') === null && !isTiny(clientRect(element))) {
    always(record);
    unread('frame', place);
    return '';
  }
  if (tag === 'canvas' && !place.unseen && !place.hidden && !isTiny(clientRect(element)) && !isAway(clientRect(element), place.clip)) {
    always(record);
    unread('drawing', place);
  }
  if (tag === 'details' && !detailsOpen(element)) {
    for (let child = firstChild(element); child; child = nextSibling(child)) {
      if (nodeType(child) === ELEMENT && localName(child) === 'summary') return walkNode(child, place, record.children);
    }
    return '';
  }
  let text;
  markItems(element, PLAIN[tag] === true || namespaceURI(element) === SVG);
  const root = shadowRoot(element);
  if (root) {
    const inner = levelOf(place, null, '');
    inner.parent = null;
    weakSet(hosts, element, { __proto__: null, root: getRootNode(element), facts: { __proto__: null, place } });
    inner.key = place.key;
    inner.pointer = place.pointer;
    inner.shadow = true;
    markItems(root, false);
    if (setDelete(early, root) || !setHas(watched, root)) {
      if (!setHas(watched, root)) watch(root);
      inner.force = true;
    }
    text = walkChildren(root, inner, record.children);
  } else if (tag === 'slot') {
    always(record);
    const assigned = assignedNodes(element, { __proto__: null, flatten: true });
    text = assigned.length === 0 ? walkChildren(element, place, record.children) : '';
    let face = shown;
    for (let i = 0; i < assigned.length; i += 1) {
      text += walkNode(assigned[i], place, record.children);
      face += shown;
    }
    shown = face;
  } else text = walkChildren(element, place, record.children);
  const limit = whole ? LONGEST : 1000;
  if (whole && shown.length > limit) cutText = true;
  if (shown.length > limit) shown = stringSlice(shown, 0, limit);
  return text.length > limit ? stringSlice(text, 0, limit) : text;
}

// Such an element is walked every time, and so is the way to it.
function always(record) {
  walk.always[walk.always.length] = record.element;
}

function scrollArea(element, outer, record) {
  always(record);
  const area = record.inner || (record.inner = areaOf(outer.document, outer.frame));
  const box = clientRect(element);
  area.outer = outer.outer;
  area.frame = outer.frame;
  area.x = outer.x;
  area.y = outer.y;
  area.map = outer.map;
  const shown = shownIn(outer, box);
  setClip(area, outer, shown.left, shown.top, shown.width, shown.height);
  return area;
}

function interactivity(element, tag, role, isSvg, pointer) {
  if (tag === 'a' || tag === 'area') {
    if (linkOf(element) !== null) return 'native';
  } else if (tag === 'button' || tag === 'select' || tag === 'textarea' || tag === 'summary' || tag === 'option') return 'native';
  else if (tag === 'input') return control(element, tag, 'type') === 'hidden' ? null : 'native';
  else if ((tag === 'audio' || tag === 'video') && hasAttribute(element, 'controls')) return 'native';
  else if (tag === 'html' || tag === 'body') return isEditable(element) ? 'aria' : null;
  if (WIDGET[role]) return 'aria';
  const tabindex = getAttribute(element, 'tabindex');
  if (tabindex !== null && +tabindex >= 0) return 'aria';
  if (isEditable(element)) return 'aria';
  const heard = listensTo(element);
  if (heard.click > 0 || heard.key > 0 || hasHandler(element, 'click', isSvg)) return 'listener';
  return pointer ? 'cursor' : null;
}

function scrollable(element, tag, styleOf) {
  if (tag === 'html' || tag === 'body' || (FIELD[tag] && tag !== 'textarea')) return false;
  const height = clientHeight(element);
  if (height === 0) return false;
  if (scrollHeight(element) <= height + 1 && scrollWidth(element) <= clientWidth(element) + 1) return false;
  return regExpExec(/auto|scroll/, styleOf('overflow-y') + ' ' + styleOf('overflow-x')) !== null;
}

// A frame of the same origin is walked in place; of another, it is left to a call of its own.
function walkFrame(element, place, record) {
  const index = walk.frames.length;
  const outer = place.area;
  if (index > FRAMES || depthOf(outer) > DEPTH) {
    walk.truncated = true;
    unread('frame', place);
    return;
  }
  const inner = frameDocument(element);
  const box = clientRect(element);
  const x = outer.x + box.left + clientLeft(element) + padding(element, 'padding-left');
  const y = outer.y + box.top + clientTop(element) + padding(element, 'padding-top');
  const width = clientWidth(element);
  const height = clientHeight(element);
  walk.frames[index] = '{"parent":' + outer.frame + ',"url":' + quote(inner ? documentUrl(inner) : sourceOf(element)) +
    ',"xpath":' + quote(xpathOf(place)) + (inner ? '' : ',"cross_origin":true') + '}';
  if (!inner) {
    walk.foreign[walk.foreign.length] = '{"frame":' + index + ',"key":' + record.key + ',"x":' + number(x) + ',"y":' + number(y) +
      ',"width":' + number(width) + ',"height":' + number(height) + '}';
  }
  if (!inner) return;
  if (documentUrl(inner) === 'about:blank' && regExpExec(/^(https?|file|ftp):/, sourceOf(element)) !== null) unread('frame', place); // it is still to be loaded
  if (!documentElement(inner)) return;
  const top = levelOf(null, null, '');
  seesAll(top, inner, defaultView(inner));
  top.area = areaOf(inner, index);
  top.area.outer = outer;
  top.depth = place.depth;
  top.area.x = x;
  top.area.y = y;
  setClip(top.area, outer, x, y, width, height);
  placeFrame(top.area, element);
  top.key = place.key;
  // The frame's own observer, not ours, hears of its changes: its content is described anew every time.
  walkElement(documentElement(inner), top, record.children);
  walk.texts[index] = shown;
}
const sourceOf = (element) => (localName(element) === 'iframe' ? frameSource(element) : localName(element) === 'object' ? objectData(element) : '');
// How many frames an area lies within.
function depthOf(area) {
  let depth = 0;
  for (let at = area; at.outer; at = at.outer) depth += 1;
  return depth;
}
const padding = (element, side) => parseFloat(styleValue(computedStyle(element), side)) || 0;
