// Boxes and visibility of nodes, measured anew for every observation.

const entries = new SafeWeakMap(); // element -> entry, so that what was sent is known even after it was away
const entryOf = (element, tag, key) => {
  const entry = {
    element, tag, key, parent: 0, area: null, root: null, stand: null, interactive: false, facts: null, line: '', signature: '',
    x: 0, y: 0, w: 0, h: 0, seen: 'visible', // as they are
    holder: null, // what is hovered to show it
    sent: null, at: 0, // as they were last sent, and in which observation
  };
  weakSet(entries, element, entry);
  return entry;
};

// Whether an element has no box of its own, and is seen by what is in it: a row with `display: contents`.
const isBoxless = (element) => {
  const style = computedStyle(element);
  return styleValue(style, 'display') === 'contents' && styleValue(style, 'visibility') === 'visible';
};
// The box of an element, or of what is in it.
function contentBox(element) {
  const box = clientRect(element);
  return box.width > 0 || box.height > 0 || !isBoxless(element) ? box : boxOfText(element);
}

const tenths = (value) => round(value * 10);

// Measures the box in tenths of a pixel, so that differences are exact.
function measure(entry) {
  const { element, area } = entry;
  const veiled = entry.holder !== null && isVeiled(element);
  const box = entry.tag === 'area' ? areaBox(element) : contentBox(veiled ? entry.holder : entry.stand || element);
  const { left, top, width, height } = shownIn(area, box);
  entry.x = tenths(left);
  entry.y = tenths(top);
  entry.w = tenths(width);
  entry.h = tenths(height);
  const x = box.left + box.width / 2;
  const y = box.top + box.height / 2;
  const midX = left + width / 2;
  const midY = top + height / 2;
  if (veiled) entry.seen = 'on_hover';
  else if (midX < area.left || midX >= area.right || midY < area.top || midY >= area.bottom) entry.seen = 'offscreen';
  else if (!entry.interactive) entry.seen = 'visible';
  else entry.seen = reaches(elementAt(area.document, x, y), element, entry.tag) ? 'visible' : 'covered';
}

// A box of an area's document as it is shown in the page.
const shownIn = (area, box) => (area.map ? shownBox(area.map, box) : { left: box.left + area.x, top: box.top + area.y, width: box.width, height: box.height });

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
function flatParent(node) {
  if (nodeType(node) === ELEMENT) {
    const slot = assignedSlot(node);
    if (slot) return slot;
  }
  const parent = parentNode(node);
  return parent && nodeType(parent) === 11 ? parent.host || null : parent;
}

function isWithin(element, ancestor) {
  for (let at = element; at; at = nodeType(at) === 9 ? null : flatParent(at)) if (at === ancestor) return true;
  return false;
}

// Whether a click at a hit reaches the element: it is the element, within it, or its label.
function reaches(hit, element, tag) {
  if (!hit) return false;
  if (isWithin(hit, element)) return true;
  if (tag === 'option') return true;
  if (tag === 'area') return hit === pictureOf(element);
  const labels = control(element, tag, 'labels');
  if (labels) for (let i = 0; i < listLength(labels); i += 1) if (isWithin(hit, listItem(labels, i))) return true;
  return false;
}

const boundsJson = (entry) => ',"bounds":{"x":' + entry.x / 10 + ',"y":' + entry.y / 10 + ',"width":' + entry.w / 10 + ',"height":' + entry.h / 10 + '}' +
  (entry.seen === 'visible' ? '' : ',"visibility":"' + entry.seen + '"') + '}';

// Computes what to send to a receiver that holds observation `previous` (0: nothing): whole nodes where the description
// changed, else the offset of runs of moved neighbours, and changes of visibility.
function differences(order, previous, current) {
  let changed = '';
  let runs = '';
  let seen = '';
  let run = null;
  const flush = () => {
    if (run) runs += (runs && ',') + run.from + ',' + run.count + ',' + run.x + ',' + run.y + ',' + run.w + ',' + run.h;
    run = null;
  };
  for (let i = 0; i < order.length; i += 1) {
    const entry = order[i];
    const before = entry.sent;
    if (previous === 0 || entry.at !== previous || before.line !== entry.line || before.parent !== entry.parent) {
      changed += (changed && ',') + '[' + entry.key + ',' + entry.parent + ',' + entry.line + boundsJson(entry) + ']';
    } else {
      const x = entry.x - before.x;
      const y = entry.y - before.y;
      const w = entry.w - before.w;
      const h = entry.h - before.h;
      if (x !== 0 || y !== 0 || w !== 0 || h !== 0) {
        if (run && run.from + run.count === i && run.x === x && run.y === y && run.w === w && run.h === h) run.count += 1;
        else {
          flush();
          run = { from: i, count: 1, x, y, w, h };
        }
      }
      if (before.seen !== entry.seen) seen += (seen && ',') + '[' + entry.key + ',"' + entry.seen + '"]';
    }
    entry.at = current;
    entry.sent = { line: entry.line, parent: entry.parent, x: entry.x, y: entry.y, w: entry.w, h: entry.h, seen: entry.seen };
  }
  flush();
  return '"changed":[' + changed + '],"moved":[' + runs + '],"seen":[' + seen + ']';
}
