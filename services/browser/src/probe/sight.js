// What a person can see: the one definition of visible text and visible elements, for the walk and everything read from
// it.
//
// An element is visible if it has a box that is not transparent, not clipped away and reachable by scrolling. Only the
// layout is queried; nothing is written.

const LEAST = 2; // px in each direction below which nothing can be read
const LONGEST = 1 << 20; // characters of one text, where it is read whole
const FAINT = 0.05; // opacity below which nobody reads anything
const BUDGET = 16 << 20; // characters of all texts of one reading

let asWritten = false; // whether letters are read as the document has them, not as style shows them
let recased = false; // whether that makes a difference
let whole = false; // whether texts, names and values are read to their ends
let spent = 0; // characters read in this reading
let cutText = false; // whether one was longer still
// How much of a text is kept: as much as usually, or all.
const most = (usual) => (whole && spent < BUDGET ? LONGEST : usual);
// The text up to its limit. What is cut of a whole reading is said to be cut.
function keep(text, usual) {
  const limit = most(usual);
  if (whole) {
    spent += text.length;
    if (text.length > limit) cutText = true;
  }
  return clip(text, limit);
}

const NOWHERE = { left: 0, top: 0, right: 0, bottom: 0 };
const edges = (box) => ({ left: box.left, top: box.top, right: box.left + box.width, bottom: box.top + box.height });
const isNothing = (clip) => clip.right - clip.left < LEAST || clip.bottom - clip.top < LEAST;
const encloses = (outer, inner) => inner.left >= outer.left - LEAST && inner.top >= outer.top - LEAST && inner.right <= outer.right + LEAST && inner.bottom <= outer.bottom + LEAST;
const meet = (a, b) => ({ left: max(a.left, b.left), top: max(a.top, b.top), right: min(a.right, b.right), bottom: min(a.bottom, b.bottom) });

// Where scrolling reaches in a document.
function reachOf(own, view) {
  const root = documentElement(own);
  const scroller = documentScroller(own) || root;
  const width = max(innerWidth(view), max(scrollWidth(root), scrollWidth(scroller)));
  const height = max(innerHeight(view), max(scrollHeight(root), scrollHeight(scroller)));
  // A page that keeps its width to itself cannot be scrolled sideways.
  const sideways = styleValue(computedStyle(root), 'overflow-x') + (documentBody(own) ? styleValue(computedStyle(documentBody(own)), 'overflow-x') : '');
  if (regExpExec(/hidden|clip/, sideways) !== null) return { left: 0, top: -scrolledY(view), right: innerWidth(view), bottom: height - scrolledY(view) };
  const toLeft = styleValue(computedStyle(root), 'direction') === 'rtl' || (documentBody(own) && styleValue(computedStyle(documentBody(own)), 'direction') === 'rtl');
  const left = (toLeft ? innerWidth(view) - width : 0) - scrolledX(view);
  return { left, top: -scrolledY(view), right: left + width, bottom: height - scrolledY(view) };
}

// A level that begins a document sees all that scrolling reaches.
function seesAll(place, own, view) {
  place.clip = place.loose = reachOf(own, view);
  place.view = { left: 0, top: 0, right: innerWidth(view), bottom: innerHeight(view) };
}

// Whether an ancestor keeps what is fixed within itself.
function holdsFixed(element) {
  for (let at = flatParent(element); at && nodeType(at) === ELEMENT; at = flatParent(at)) {
    const style = computedStyle(at);
    if (styleValue(style, 'transform') !== 'none' || styleValue(style, 'filter') !== 'none' || styleValue(style, 'perspective') !== 'none' ||
      regExpExec(/paint|strict|content|layout/, styleValue(style, 'contain')) !== null) return true;
  }
  return false;
}

// The clip of an element itself, by where it is positioned.
function clipOf(element, parent, position) {
  if (position === 'fixed') return holdsFixed(element) && !matches(element, ':modal, :popover-open') ? parent.clip : parent.view;
  return position === 'absolute' ? parent.loose : parent.clip;
}

// How far content can be seen in one direction: as far as it can be scrolled to, else as far as the box reaches.
function reach(flow, outerFrom, outerTo, from, to, extra) {
  if (flow === 'visible') return [outerFrom, outerTo];
  if (flow === 'hidden' || flow === 'clip') return [max(outerFrom, from), min(outerTo, to)];
  return [from - extra, to + extra];
}
// Narrows a level to what can be seen within its element. `outer` is the clip of the element.
function narrow(place, element, tag, styleOf, outer, position) {
  place.clip = outer;
  if (tag !== 'html' && tag !== 'body' && tag !== 'frameset') {
    const flowX = styleOf('overflow-x');
    const flowY = styleOf('overflow-y');
    if ((flowX !== 'visible' || flowY !== 'visible') && regExpExec(/^(inline|contents)$/, styleOf('display')) === null) {
      const box = edges(clientRect(element));
      const shown = meet(outer, box);
      if (isNothing(shown)) place.clip = NOWHERE;
      else {
        const across = reach(flowX, outer.left, outer.right, box.left, box.right, max(0, scrollWidth(element) - clientWidth(element)));
        const down = reach(flowY, outer.top, outer.bottom, box.top, box.bottom, max(0, scrollHeight(element) - clientHeight(element)));
        place.clip = { left: across[0], top: down[0], right: across[1], bottom: down[1] };
      }
    }
  }
  if (position !== 'static') place.loose = place.clip;
  // What is in it is not drawn, wherever it is positioned; the element itself is.
  if (styleOf('content-visibility') === 'hidden' && regExpExec(/^(inline|contents)$/, styleOf('display')) === null) place.clip = place.loose = NOWHERE;
}

// Whether nothing can be seen through an element.
function isOpaque(element) {
  const color = styleValue(computedStyle(element), 'background-color');
  if (regExpExec(/^rgb\(/, color) === null && regExpExec(/^(color|lab|lch|oklab|oklch)\([^/]*\)$/, color) === null) return false;
  for (let at = element; at && nodeType(at) === ELEMENT; at = flatParent(at)) if (+styleValue(computedStyle(at), 'opacity') !== 1) return false;
  return true;
}
const BAR = 20; // px that a scroll bar may take of a window
const sightOf = (view) => ({ left: 0, top: 0, right: innerWidth(view) - BAR, bottom: innerHeight(view) - BAR });

// What leaves nothing of the page around it to be seen, wherever that is scrolled to: a modal dialog or a fixed sheet.
function coverOf(own) {
  const sight = sightOf(defaultView(own));
  const modals = attributeQuery(own, 'dialog:modal');
  for (let i = listLength(modals) - 1; i >= 0; i -= 1) if (encloses(edges(clientRect(listItem(modals, i))), sight) && isOpaque(listItem(modals, i))) return listItem(modals, i);
  for (let at = elementAt(own, sight.right / 2, sight.bottom / 2); at && nodeType(at) === ELEMENT; at = flatParent(at)) {
    if (styleValue(computedStyle(at), 'position') === 'fixed' && encloses(edges(clientRect(at)), sight) && isOpaque(at)) return at;
  }
  return null;
}
// Whether an element lies under a cover that nothing can be on top of: a modal dialog.
const isCovered = (element) => walk.cover !== null && localName(walk.cover) === 'dialog' && ownerDocument(element) === document && !isWithin(element, walk.cover);
// Whether a text lies under the cover. What lets presses through cannot be asked for by its place.
function isTextCovered(element, box) {
  if (walk.cover === null || ownerDocument(element) !== document || isWithin(element, walk.cover)) return false;
  const top = elementAt(document, box.left + box.width / 2, box.top + box.height / 2);
  if (top && !isWithin(top, walk.cover)) return false;
  return localName(walk.cover) === 'dialog' || styleValue(computedStyle(element), 'pointer-events') !== 'none';
}
// Whether something lies over a text that leaves nothing of it to be seen. What is fixed or sticks covers what is scrolled below it, and
// lets it go again.
function isOverlaid(element, box) {
  const own = ownerDocument(element);
  const x = box.left + box.width / 2;
  const y = box.top + box.height / 2;
  const hit = inside(defaultView(own), { x, y }) ? elementAt(own, x, y) : null;
  if (!hit || isWithin(hit, element) || styleValue(computedStyle(element), 'pointer-events') === 'none') return false;
  for (let at = hit; at && nodeType(at) === ELEMENT && !isWithin(element, at); at = flatParent(at)) {
    if (regExpExec(/^(fixed|sticky)$/, styleValue(computedStyle(at), 'position')) !== null) return false;
    if (encloses(edges(clientRect(at)), edges(box)) && isOpaque(at)) return true;
  }
  return false;
}

// Whether nothing is to be seen of an element that has no texts of its own to ask for: a frame, a field, what style adds to it.
function isBoxCovered(element) {
  const box = clientRect(element);
  return isTextCovered(element, box) || (whole && isOverlaid(element, box));
}

// Whether an element's style leaves nothing of it and of what it contains.
function isClippedAway(element, styleOf, position) {
  if (position === 'absolute' || position === 'fixed') {
    const parts = regExpExec(/^rect\((-?[\d.]+)px,? (-?[\d.]+)px,? (-?[\d.]+)px,? (-?[\d.]+)px\)$/, styleOf('clip'));
    if (parts && (+parts[3] - +parts[1] < LEAST || +parts[2] - +parts[4] < LEAST)) return true;
  }
  if (whole && isMaskedAway(element, styleOf)) return true;
  const path = styleOf('clip-path');
  if (path === 'none' || path === '') return false;
  if (regExpExec(/^(circle|ellipse)\(0(px|%)?[ )]/, path)) return true;
  const shape = regExpExec(/^(inset|polygon)\((.*)\)/, path);
  if (!shape) return false;
  const box = clientRect(element);
  return shape[1] === 'inset' ? insetLeavesNothing(shape[2], box) : isFlat(shape[2], box);
}
const lengthOf = (text, whole) => {
  const parts = regExpExec(/^(-?[\d.]+)(px|%)?$/, text);
  return parts ? (parts[2] === '%' ? (+parts[1] * whole) / 100 : +parts[1]) : 0;
};
function insetLeavesNothing(text, box) {
  const sides = stringSplit(stringSplit(text, ' round')[0], ' ');
  const top = lengthOf(sides[0], box.height);
  const right = sides.length > 1 ? lengthOf(sides[1], box.width) : lengthOf(sides[0], box.width);
  const bottom = sides.length > 2 ? lengthOf(sides[2], box.height) : top;
  const left = sides.length > 3 ? lengthOf(sides[3], box.width) : sides.length > 1 ? right : lengthOf(sides[0], box.width);
  return top + bottom > box.height - LEAST || left + right > box.width - LEAST;
}
// Whether a polygon encloses nothing.
function isFlat(text, box) {
  const points = stringSplit(text, ', ');
  let twice = 0;
  let before = null;
  for (let i = 0; i <= points.length; i += 1) {
    const pair = stringSplit(points[i % points.length], ' ');
    if (pair.length !== 2) continue; // the fill rule
    const point = { x: lengthOf(pair[0], box.width), y: lengthOf(pair[1], box.height) };
    if (before) twice += before.x * point.y - point.x * before.y;
    before = point;
  }
  return twice > -2 * LEAST && twice < 2 * LEAST;
}

// Whether a faint opacity, a filter, a mask or its turned back leaves nothing of an element. Asked only where a judge reads: styles cost time.
function isMaskedAway(element, styleOf) {
  if (+styleOf('opacity') < FAINT) return true;
  const filter = styleOf('filter');
  if (filter !== 'none' && regExpExec(/opacity\((0(\.0+)?%?)\)/, filter) !== null) return true;
  const mask = styleOf('mask-image');
  if (mask !== 'none' && mask !== '' && regExpExec(/^[a-z-]+-gradient\(/, mask) !== null && isColorless(mask)) return true;
  return styleOf('backface-visibility') === 'hidden' && showsItsBack(element);
}
// Whether all colours in a text are see-through.
function isColorless(text) {
  const colors = stringSplit(text, 'rgb');
  if (colors.length < 2) return false;
  for (let i = 1; i < colors.length; i += 1) if (regExpExec(/^a\([^)]*, 0\)/, colors[i]) === null) return false;
  return regExpExec(/color\(|lab\(|lch\(|url\(/, text) === null;
}
// Whether an element is turned away, by itself and by what keeps it in the same space.
function showsItsBack(element) {
  let isAway = false;
  for (let at = element; at && nodeType(at) === ELEMENT; at = flatParent(at)) {
    const style = computedStyle(at);
    if (at !== element && styleValue(style, 'transform-style') !== 'preserve-3d') break;
    const transform = styleValue(style, 'transform');
    if (stringStartsWith(transform, 'matrix3d') && numbersOf(stringSlice(transform, 8))[10] < 0) isAway = !isAway;
  }
  return isAway;
}

// Whether an element with this box shows anything of itself.
function isAway(box, clip) {
  if (isNothing(clip)) return true;
  const width = min(box.left + box.width, clip.right) - max(box.left, clip.left);
  const height = min(box.top + box.height, clip.bottom) - max(box.top, clip.top);
  return width < 0 || height < 0 || (box.width > 0 && width === 0) || (box.height > 0 && height === 0);
}
const isTiny = (box) => box.width < LEAST && box.height < LEAST;

// Where the characters of a text node stand.
function boxOfText(node) {
  rangeAround(textRange, node);
  return rectOf(rangeRect(textRange));
}
// Whether they can be read there.
function isTextSeen(box, clip) {
  if (box.width < 1 || box.height < 1) return false;
  const width = min(box.left + box.width, clip.right) - max(box.left, clip.left);
  const height = min(box.top + box.height, clip.bottom) - max(box.top, clip.top);
  return width >= min(LEAST, box.width) && height >= min(LEAST, box.height);
}

// What can be read of a text where its end is cut off: the words that stand within the clip. Asked where a judge reads.
function readablePart(node, text, box, clip) {
  if (encloses(clip, edges(box))) return text;
  let kept = '';
  let start = 0;
  for (let i = 0; i <= text.length; i += 1) {
    if (i < text.length && !isSpace(charCodeAt(text, i))) continue;
    if (i > start) {
      rangeStart(textRange, node, start);
      rangeEnd(textRange, node, i);
      const word = rectOf(rangeRect(textRange));
      const x = word.left + word.width / 2;
      const y = word.top + word.height / 2;
      if (x >= clip.left && x <= clip.right && y >= clip.top && y <= clip.bottom) kept += stringSlice(text, start, i);
    }
    if (i < text.length) kept += text[i];
    start = i + 1;
  }
  return kept;
}

// Whether letters are painted in no colour; those that cut a picture out are seen.
const isInkless = (styleOf) => regExpExec(/^rgba\(.*, 0\)$|\/ 0\)$/, styleOf('-webkit-text-fill-color')) !== null &&
  styleOf('-webkit-background-clip') !== 'text' && styleOf('text-shadow') === 'none' && !(parseFloat(styleOf('-webkit-text-stroke-width')) > 0);

const isBlank = (text) => {
  for (let i = 0; i < text.length; i += 1) if (!isSpace(charCodeAt(text, i))) return false;
  return true;
};

// Letters as they are shown.
function inLetters(text, how) {
  if (asWritten) return text;
  const spelled = transformed(text, how);
  if (spelled !== text) recased = true;
  return spelled;
}
function transformed(text, how) {
  if (stringStartsWith(how, 'uppercase')) return stringUpper(text);
  if (stringStartsWith(how, 'lowercase')) return stringLower(text);
  if (!stringStartsWith(how, 'capitalize')) return text;
  let shown = '';
  let starts = true;
  for (let i = 0; i < text.length; i += 1) {
    const letter = text[i];
    shown += starts ? stringUpper(letter) : letter;
    starts = isSpace(charCodeAt(text, i)) || letter === '-' || letter === '(' || letter === '"';
  }
  return shown;
}

// Line breaks within a text node are spaces, unless its style keeps them.
function flowed(text, keepsLines) {
  if (keepsLines) return text;
  let shown = '';
  let start = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = charCodeAt(text, i);
    if (code !== 10 && code !== 13) continue;
    shown += stringSlice(text, start, i) + ' ';
    start = i + 1;
  }
  return start === 0 ? text : shown + stringSlice(text, start);
}

// What style puts before or after the content of an element; signs of icon fonts are no text.
function generated(element, which) {
  const style = computedStyle(element, which);
  const parts = regExpExec(/^"((?:[^"\\]|\\.)+)"/, styleValue(style, 'content'));
  if (!parts || styleValue(style, 'visibility') !== 'visible' || styleValue(style, 'display') === 'none' || +styleValue(style, 'opacity') < FAINT) return '';
  let text = '';
  for (let i = 0; i < parts[1].length; i += 1) {
    const code = charCodeAt(parts[1], i);
    if (code !== 92 && !(code >= 0xe000 && code <= 0xf8ff)) text += parts[1][i];
  }
  return text;
}

// What a field shows that is no value of its own: the label of a button, what a list shows closed or open.
function faceOf(element, tag) {
  if (tag === 'input') {
    const type = control(element, tag, 'type');
    return type === 'submit' || type === 'button' || type === 'reset' ? control(element, tag, 'value') : '';
  }
  const open = control(element, tag, 'multiple') || control(element, tag, 'size') > 1;
  const options = control(element, tag, 'options');
  let text = '';
  for (let i = 0; i < optionsLength(options) && i < 1000; i += 1) {
    const option = optionsItem(options, i);
    if (open ? checkVisibility(option) : control(option, 'option', 'selected')) text += '\n' + (control(option, 'option', 'label') || control(option, 'option', 'text'));
  }
  return text;
}

// Lines of a document's text, each folded, none empty.
function linesOf(text) {
  const lines = stringSplit(text, '\n');
  let joined = '';
  for (let i = 0; i < lines.length; i += 1) {
    const line = fold(lines[i]);
    if (line) joined += (joined && '\n') + line;
  }
  return joined;
}

// A part of the page that a person may see and the walk cannot read.
function unread(why, place) {
  if (walk.unread.length < FRAMES) walk.unread[walk.unread.length] = '{"why":"' + why + '","at":' + quote(place ? xpathOf(place) : '') + '}';
}
