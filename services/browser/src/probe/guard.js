// Verifies presses at the moment of pressing: one that would hit another control than the target is kept from the page
// and reported. Applies only to aimed input, not to that of the page or a person.

let aimed = null; // { element, hit, nested }: what is meant by the next press
let missed = null; // what that press met instead

// Sets the target of the next press, in every document between the page and the element.
function aim(element, nested) {
  missed = null;
  aimed = { element, nested };
  const own = defaultView(ownerDocument(element));
  for (let at = own; at !== window && at; at = at.parent) {
    const inner = at[KEY];
    if (inner) inner.aimAt(at === own ? element : at.frameElement, at === own ? nested : null);
  }
}
function aimAt(element, nested) {
  missed = null;
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

const GUARDED = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'dblclick', 'auxclick'];
const pathOfEvent = methodOf(Event.prototype, 'composedPath');
const keepBack = methodOf(Event.prototype, 'stopImmediatePropagation');
const keepDefault = methodOf(Event.prototype, 'preventDefault');
for (let i = 0; i < GUARDED.length; i += 1) {
  nativeListen(window, GUARDED[i], (event) => {
    if ((!aimed && missed === null) || !isTrusted(event)) return;
    if (GUARDED[i] === 'pointerdown' && missed === null) {
      const hit = pathOfEvent(event)[0];
      if (hit && nodeType(hit) === ELEMENT && !isMeant(hit)) missed = nameForPeople(hit);
      else aimed = null; // what follows from it is the page's
    }
    if (missed === null) return;
    keepBack(event);
    keepDefault(event);
  }, { __proto__: null, capture: true });
}

// Takes the element hit instead of the target, in this document and those within it, and clears the target.
function takeMissed() {
  let taken = missed;
  missed = null;
  aimed = null;
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
