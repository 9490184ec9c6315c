// Verifies presses at the moment of pressing: one that would hit another control than the target is kept from the page
// and reported. Applies only to aimed input, not to that of the page or a person.

let aimed = null; // { element, hit, nested }: what is meant by the next press
let missed = null; // what that press met instead
let down = null; // { element, x, y, box }: what is pressed at the moment, where, and where it stood then

// Sets the target of the next press, in every document between the page and the element.
function aim(element, nested) {
  missed = down = null;
  aimed = { element, nested };
  const own = defaultView(ownerDocument(element));
  for (let at = own; at !== window && at; at = at.parent) {
    const inner = at[KEY];
    if (inner) inner.aimAt(at === own ? element : at.frameElement, at === own ? nested : null);
  }
}
function aimAt(element, nested) {
  missed = down = null;
  aimed = { element, nested };
}

// Whether a press on the hit element counts as one on the target.
function isMeant(hit) {
  const { element, nested } = aimed;
  if (!isConnected(element)) {
    for (let at = hit; at && nodeType(at) === ELEMENT; at = flatParent(at)) if (isAlike(at, element)) return true;
    return false;
  }
  if (ownerDocument(element) !== document) return false; // it lies in a frame, and this press does not
  if (isWithin(element, hit) && controlStrength(hit) === 0) return true;
  if (!reaches(hit, element, localName(element)) && !standsIn(hit, element)) return false;
  const between = controlBetween(hit, isWithin(hit, element) ? element : null);
  if (!isWithin(hit, element)) return true;
  return !between || between.strength === 1 || (nested !== null && (between.element === nested || isAlike(between.element, nested)));
}
const standsIn = (hit, element) => {
  const proxy = standIn(element, localName(element));
  return proxy !== null && isWithin(hit, proxy);
};

// What a press is released on whose target moved away under the pointer, as when leaving a field shows a hint above it.
function slippedOnto(event) {
  const { element, x, y, box } = down;
  if (absolute(event.clientX - x) > 1 || absolute(event.clientY - y) > 1 || !isConnected(element) || ownerDocument(element) !== document) return null;
  const now = clientRect(element);
  // What took the press for itself may hide its target, as lists of suggestions do.
  for (let at = element; at && nodeType(at) === ELEMENT && localName(at) !== 'body'; at = flatParent(at)) if (listensTo(at).press > 0) return null;
  const same = absolute(now.width - box.width) < LEAST && absolute(now.height - box.height) < LEAST;
  const moved = same && (absolute(now.left - box.left) >= LEAST || absolute(now.top - box.top) >= LEAST);
  const hit = pathOfEvent(event)[0];
  return moved && hit && nodeType(hit) === ELEMENT && !isWithin(hit, element) && !standsIn(hit, element) ? nameForPeople(hit) : null;
}

const GUARDED = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'dblclick', 'auxclick'];
const pathOfEvent = methodOf(Event.prototype, 'composedPath');
const keepBack = methodOf(Event.prototype, 'stopImmediatePropagation');
const keepDefault = methodOf(Event.prototype, 'preventDefault');
for (let i = 0; i < GUARDED.length; i += 1) {
  nativeListen(window, GUARDED[i], (event) => {
    if ((!aimed && missed === null && down === null) || !isTrusted(event)) return;
    if (GUARDED[i] === 'pointerdown') down = null;
    if (GUARDED[i] === 'pointerdown' && missed === null && aimed !== null) {
      const hit = pathOfEvent(event)[0];
      if (hit && nodeType(hit) === ELEMENT && !isMeant(hit)) missed = nameForPeople(hit);
      else {
        down = { element: aimed.element, x: event.clientX, y: event.clientY, box: clientRect(aimed.element) };
        aimed = null; // what follows from it is the page's
      }
    }
    if (GUARDED[i] === 'mouseup' && down !== null) {
      if (missed === null) missed = slippedOnto(event);
      down = null;
    }
    if (missed === null) return;
    keepBack(event);
    keepDefault(event);
  }, { __proto__: null, capture: true });
}

// Keeps the rest of a press from the page, whose button is down on an element.
function withhold(key) {
  const element = elementOf(key);
  const view = element && defaultView(ownerDocument(element));
  const inner = view && view !== window ? view[KEY] : null;
  if (inner) inner.withholdHere();
  else withholdHere();
}
function withholdHere() {
  missed = 'what the page changed';
}

// Takes the element hit instead of the target, in this document and those within it, and clears the target.
function takeMissed() {
  let taken = missed;
  missed = null;
  aimed = null;
  down = null;
  const inner = innerProbes();
  for (let i = 0; i < inner.length; i += 1) taken = inner[i].takeMissed() || taken;
  return taken;
}

// A window that closes itself disappears a little later: until then, or until it turns out to stay, it is not settled.
wrap(window, 'close', {
  apply(target, self, args) {
    const done = request();
    nativeSetTimeout(done, 700);
    return apply(target, self, args);
  },
});
