// Finds why an element cannot be pressed now but may be soon: it is disabled, under an overlay, or still moving.

const dialogQuery = 'dialog[open],[role=dialog],[role=alertdialog],[aria-modal=true]';
const BUSY = /load|spin|busy|wait|progress|skeleton|veil|overlay|mask|block-?ui/i;

// Whether an element is a dialog drawn of plain parts: a veil over the whole view, through which the page shows, that holds
// controls; or what holds controls and stands beside such a veil, and above it.
function isDrawnDialog(element, styleOf) {
  const isOver = isSheer(element, styleOf);
  if (!isOver && !isBesideSheet(element)) return false;
  if (queryOne(element, dialogQuery) !== null || !hasControls(element)) return false;
  // What holds all controls of the page is the page itself.
  return isOver ? holdsControl(documentElement(ownerDocument(element)), 2000, element) : isOnTop(element);
}
const isBesideSheet = (element) => {
  const before = previousElement(element);
  const after = nextElement(element);
  return (before !== null && isSheet(before)) || (after !== null && isSheet(after));
};
const isSheet = (element) => {
  const style = computedStyle(element);
  const styleOf = (property) => styleValue(style, property);
  return styleOf('position') === 'fixed' && isSheer(element, styleOf) && isSeenBox(element) && !hasControls(element);
};
// Whether an element covers the view, takes what is pressed there, and can be seen through.
const isSheer = (element, styleOf) => {
  const opacity = regExpExec(/^rgba\(.*,\s*(0?\.\d+)\)$/, styleOf('background-color'));
  if (opacity === null || +opacity[1] < 0.05 || styleOf('pointer-events') === 'none') return false;
  const view = defaultView(ownerDocument(element));
  const box = clientRect(element);
  return box.left <= 1 && box.top <= 1 && box.left + box.width >= innerWidth(view) * 0.98 && box.top + box.height >= innerHeight(view) * 0.98;
};
const isOnTop = (element) => {
  const box = clientRect(element);
  const hit = elementAt(ownerDocument(element), box.left + box.width / 2, box.top + box.height / 2);
  return hit !== null && isWithin(hit, element);
};

// Whether an element is disabled, by itself or by what it is part of.
function isDisabled(element, tag) {
  if ((FIELD[tag] || tag === 'button' || tag === 'option') && matches(element, ':disabled')) return true;
  for (let at = element; at && nodeType(at) === ELEMENT; at = flatParent(at)) {
    if (getAttribute(at, 'aria-disabled') === 'true') return true;
  }
  return false;
}

function isInert(element) {
  for (let at = element; at && nodeType(at) === ELEMENT; at = flatParent(at)) if (hasAttribute(at, 'inert')) return true;
  return false;
}

// The outermost layer that a hit belongs to and its target does not.
function layerOf(hit, element) {
  let layer = hit;
  for (let at = hit; at && nodeType(at) === ELEMENT && !isWithin(element, at); at = flatParent(at)) {
    const position = styleValue(computedStyle(at), 'position');
    if (position === 'fixed' || position === 'absolute') layer = at;
  }
  return layer;
}

// Whether a covering element is a temporary overlay: large or marked as busy, and without anything to press.
function isVeil(hit, element) {
  const layer = layerOf(hit, element);
  const own = ownerDocument(hit);
  if (layer === documentElement(own) || layer === documentBody(own)) return false;
  if (controlStrength(layer) === 2 || matches(layer, dialogQuery) || onlyControl(layer) || hasControls(layer)) return false;
  if (documentQuery(own, dialogQuery) && !showsWork(layer)) {
    const dialogs = attributeQuery(own, dialogQuery);
    for (let i = 0; i < listLength(dialogs); i += 1) if (isSeenBox(listItem(dialogs, i))) return false; // its backdrop
  }
  const box = clientRect(layer);
  const view = defaultView(own);
  const target = clientRect(element);
  const isLarge = box.width * box.height >= innerWidth(view) * innerHeight(view) / 4;
  const isAround = box.width * box.height > 2 * target.width * target.height && styleValue(computedStyle(layer), 'position') !== 'static';
  return showsWork(layer) || isLarge || (isAround && !isBar(box, view));
}
const hasControls = (layer) => holdsControl(layer, 500, null);
// Whether a control can be seen among the first so many elements of a part of the page, outside another part.
const holdsControl = (root, limit, outside) => {
  const inside = elementsByTagWithin(root, '*');
  for (let i = 0; i < optionsLength(inside) && i < limit; i += 1) {
    const element = optionsItem(inside, i);
    if (controlStrength(element) === 2 && !(outside && isWithin(element, outside)) && isSeenBox(element)) return true;
  }
  return false;
};
// A bar along an edge stays.
const isBar = (box, view) => box.width >= innerWidth(view) * 0.9 && box.height < innerHeight(view) / 2;

// Whether an element is marked as busy.
function showsWork(element) {
  const names = (getAttribute(element, 'class') || '') + ' ' + (getAttribute(element, 'id') || '');
  if (regExpExec(BUSY, names) !== null || getAttribute(element, 'aria-busy') === 'true') return true;
  return queryOne(element, 'progress,[role=progressbar],[aria-busy=true]') !== null;
}

// Whether the page shows progress.
function showsProgress(own) {
  if (setSize(requests) > 0) return true;
  const busy = attributeQuery(own, 'progress,[role=progressbar],[aria-busy=true],[class*=spinner],[class*=loading]');
  for (let i = 0; i < listLength(busy) && i < 50; i += 1) if (isSeenBox(listItem(busy, i))) return true;
  return false;
}

// Whether the element may be about to move: something runs by itself in its document.
const mayMove = (own) => {
  if (mapSize(frames) > 0) return true;
  const running = animationsOf(own);
  for (let i = 0; i < running.length; i += 1) if (playState(running[i]) === 'running') return true;
  return false;
};
