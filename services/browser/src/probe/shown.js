// How a frame's content is placed in its parent document: moved, scaled, zoomed, rotated. A map takes a point `(x, y)`
// of the frame's document to `(a·x + c·y + x0, b·x + d·y + y0)` of the parent document.

const layoutWidth = getterOf(HTMLElement.prototype, 'offsetWidth');
const layoutHeight = getterOf(HTMLElement.prototype, 'offsetHeight');
const SAME = { __proto__: null, a: 1, b: 0, c: 0, d: 1, x: 0, y: 0 };
const mapped = (map, x, y) => ({ x: map.a * x + map.c * y + map.x, y: map.b * x + map.d * y + map.y });
const within = (outer, inner) => ({
  __proto__: null,
  a: outer.a * inner.a + outer.c * inner.b, b: outer.b * inner.a + outer.d * inner.b,
  c: outer.a * inner.c + outer.c * inner.d, d: outer.b * inner.c + outer.d * inner.d,
  x: outer.a * inner.x + outer.c * inner.y + outer.x, y: outer.b * inner.x + outer.d * inner.y + outer.y,
});

// The numbers in a text, whatever stands between them.
function numbersOf(text) {
  const found = newList();
  let start = -1;
  for (let i = 0; i <= text.length; i += 1) {
    const code = i < text.length ? charCodeAt(text, i) : 32;
    const separates = code === 32 || code === 40 || code === 41 || code === 44 || code === 9 || code === 10;
    if (!separates) {
      if (start < 0) start = i;
    } else if (start >= 0) {
      const value = parseFloat(stringSlice(text, start, i));
      if (value === value) found[found.length] = value;
      start = -1;
    }
  }
  return found;
}
const DEGREES = { __proto__: null, deg: 1, grad: 0.9, rad: 180 / 3.141592653589793, turn: 360 };

// What an element's own transform does to directions, without what it moves.
function ownTurn(element) {
  const style = computedStyle(element);
  const turn = { __proto__: null, a: 1, b: 0, c: 0, d: 1, x: 0, y: 0 };
  const transform = styleValue(style, 'transform');
  let own = turn;
  if (transform && transform !== 'none') {
    const n = numbersOf(stringSlice(transform, 6)); // past the 3 of matrix3d
    if (stringStartsWith(transform, 'matrix3d')) {
      const deep = numbersOf(stringSlice(transform, 8));
      own = { ...turn, a: deep[0], b: deep[1], c: deep[4], d: deep[5] };
    } else if (n.length === 6) own = { ...turn, a: n[0], b: n[1], c: n[2], d: n[3] };
  }
  const scale = styleValue(style, 'scale');
  if (scale && scale !== 'none') {
    const n = numbersOf(scale);
    own = within({ ...turn, a: n[0], d: n.length > 1 ? n[1] : n[0] }, own);
  }
  const rotate = styleValue(style, 'rotate');
  const angle = rotate && rotate !== 'none' ? regExpExec(/^(-?[\d.e+-]+)(deg|grad|rad|turn)$/, rotate) : null;
  if (angle) {
    const radians = parseFloat(angle[1]) * DEGREES[angle[2]] / DEGREES.rad;
    own = within({ ...turn, a: cosine(radians), b: sine(radians), c: -sine(radians), d: cosine(radians) }, own);
  }
  return own;
}
const { cos: cosine, sin: sine, abs: absolute } = Math;

// The map of a frame element's document. The middle of a box stays the middle of what is shown of it, however it is turned.
function mapOf(frame) {
  const box = clientRect(frame);
  let width = box.width;
  let height = box.height;
  try {
    width = layoutWidth(frame) || width;
    height = layoutHeight(frame) || height;
  } catch {
    // no HTML element
  }
  let turn = SAME;
  for (let at = frame; at && nodeType(at) === ELEMENT; at = flatParent(at)) turn = within(ownTurn(at), turn);
  let { a, b, c, d } = turn;
  if (absolute(b) < 1e-6 && absolute(c) < 1e-6) {
    // Nothing is turned: what is shown says how it is scaled, zoom included.
    a = (a < 0 ? -1 : 1) * (box.width / width);
    d = (d < 0 ? -1 : 1) * (box.height / height);
    b = c = 0;
  }
  const x = clientLeft(frame) + padding(frame, 'padding-left') - width / 2;
  const y = clientTop(frame) + padding(frame, 'padding-top') - height / 2;
  return { __proto__: null, a, b, c, d, x: box.left + box.width / 2 + a * x + c * y, y: box.top + box.height / 2 + b * x + d * y };
}

// A box under a map: the upright box around it.
function shownBox(map, box) {
  const corners = [mapped(map, box.left, box.top), mapped(map, box.left + box.width, box.top), mapped(map, box.left, box.top + box.height), mapped(map, box.left + box.width, box.top + box.height)];
  let left = Infinity;
  let top = Infinity;
  let right = -Infinity;
  let bottom = -Infinity;
  for (let i = 0; i < 4; i += 1) {
    left = min(left, corners[i].x);
    top = min(top, corners[i].y);
    right = max(right, corners[i].x);
    bottom = max(bottom, corners[i].y);
  }
  return { left, top, width: right - left, height: bottom - top };
}

// Says in an area where the document of a frame element is shown, where that is not only moved.
function placeFrame(area, frame) {
  const own = mapOf(frame);
  const outer = area.outer && area.outer.map;
  if (!outer && absolute(own.a - 1) < 1e-6 && absolute(own.d - 1) < 1e-6 && own.b === 0 && own.c === 0) return;
  area.map = within(outer || { ...SAME, x: area.outer ? area.outer.x : 0, y: area.outer ? area.outer.y : 0 }, own);
  const shown = shownBox(area.map, { left: 0, top: 0, width: clientWidth(frame), height: clientHeight(frame) });
  area.x = shown.left;
  area.y = shown.top;
  if (area.outer) setClip(area, area.outer, shown.left, shown.top, shown.width, shown.height);
}

// A point of a document as one of the page, and what lies over its frames there, if anything does.
function outwards(view, x, y) {
  let point = { x, y };
  let over = null;
  let reached = true;
  for (let at = view; at !== window && at; at = at.parent) {
    const frame = at.frameElement;
    if (!frame) break;
    point = mapped(mapOf(frame), point.x, point.y);
    const hit = elementAt(ownerDocument(frame), point.x, point.y);
    if (hit !== frame) {
      reached = false;
      over = hit;
    }
  }
  return { x: point.x, y: point.y, reached, over };
}
