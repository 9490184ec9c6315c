// Finds where to press: whether the element still exists, can be scrolled into view, accepts a press now, and would be
// hit.

const answer = (fields) => '{' + fields + '}';
// A refusal, and what may still end it: 'change' of the element, of what is 'over' it, or nothing.
const refuse = (reason, awaits, own) => answer('"refused":' + quote(reason) + (awaits ? ',"awaits":"' + awaits + '"' : '') +
  (awaits && own && showsProgress(own) ? ',"progress":true' : ''));

const LIVE = lookup('alert status log');
const inside = (view, point) => point.x >= 0 && point.y >= 0 && point.x < innerWidth(view) && point.y < innerHeight(view);

function nameForPeople(element) {
  const id = getAttribute(element, 'id');
  const text = clip(fold(textContent(element) || ''), 40);
  return '<' + localName(element) + (id ? ' id=' + id : '') + '>' + (text ? ' “' + text + '”' : '');
}

const SCROLLS = [null, ['center', 'nearest'], ['nearest', 'nearest'], ['start', 'nearest'], ['end', 'nearest'], ['center', 'center']];
const FRAMES_STILL = 20; // drawn frames that a moving element is followed for

async function locate(key, at, forcing) {
  touched();
  if (forcing === 'frame') return outOfFrame(mapGet(elements, key), at);
  let element = elementOf(key);
  if (!element) return refuse('the element is gone', 'change', document);
  const tag = localName(element);
  const own = ownerDocument(element);
  const view = defaultView(own);
  if (!view) return refuse('the frame of the element is gone');
  if (forcing === 'read') return answer(factsOf(element, tag, { x: 0, y: 0 }, clientRect(element)) + ',"missed":' + quoteOrNull(missed));
  if (forcing !== 'box' && isDisabled(element, tag)) return refuse('the ' + kindOf(element, tag) + ' is disabled', 'change', own);
  if (forcing !== 'box' && isInert(element)) return refuse('the ' + kindOf(element, tag) + ' is inert', 'change', own);
  let found = null;
  for (let attempt = 0; attempt < SCROLLS.length; attempt += 1) {
    if (SCROLLS[attempt] !== null) {
      const target = scrollTarget(element, tag);
      const [block, inline] = SCROLLS[attempt];
      scrollIntoView(target, { __proto__: null, block, inline, behavior: 'instant' });
      await nextFrame(); // what the page does on scrolling
      element = elementOf(key);
      if (!element) return refuse('the element is gone', 'change', document);
    }
    found = search(element, tag, view, at, forcing);
    if (found.point || found.refused === HIDDEN) break;
  }
  if (found.point && forcing === 'press' && mayMove(own)) {
    for (let frame = 0; frame < FRAMES_STILL; frame += 1) {
      const before = found.point;
      await nextFrame();
      element = elementOf(key);
      if (!element) return refuse('the element is gone', 'change', document);
      found = search(element, tag, view, at, forcing);
      if (!found.point || (absolute(found.point.x - before.x) < 1 && absolute(found.point.y - before.y) < 1)) break;
    }
  }
  if (!found.point) return refuse(found.refused, found.awaits, own);
  if (forcing === 'press' && isDeaf(element, tag)) return refuse('nothing listens to the ' + kindOf(element, tag) + ' yet', 'change', own);
  if (forcing === 'press') aim(element, found.nested);
  return answer(factsOf(element, tag, found.point, found.box) + ',"moves":' + movesUnderPointer(element));
}

const HIDDEN = 'the element has no box: it is hidden';
const YOUNG = 4000; // ms of a document within which its scripts may still come to what it shows

// Whether pressing a button would do nothing yet: no script listens, and it does nothing by itself.
function isDeaf(element, tag) {
  if (now() > YOUNG || (tag !== 'button' && getAttribute(element, 'role') !== 'button') || linkOf(element) !== null) return false;
  if (control(element, tag, 'form') || hasAttribute(element, 'popovertarget') || hasAttribute(element, 'commandfor')) return false;
  const own = ownerDocument(element);
  if (queryOne(documentElement(own), 'script') === null || listensTo(own).click > 0 || listensTo(defaultView(own)).click > 0) return false;
  for (let at = element; at && nodeType(at) === ELEMENT; at = flatParent(at)) {
    if (listensTo(at).click > 0 || listensTo(at).press > 0 || hasHandler(at, 'click', namespaceURI(at) === SVG) || regExpExec(/^(label|summary|a)$/, localName(at)) !== null) return false;
  }
  return true;
}

const kindOf = (element, tag) => roleOf(element, tag) || 'element';
// The element to scroll into view.
function scrollTarget(element, tag) {
  return standIn(element, tag) || element;
}

// Points that may be pressed for an element: its own, then those of what stands in for it.
function search(element, tag, view, at, forcing) {
  const box = tag === 'area' ? areaBox(element) : clientRect(element);
  const proxy = tag === 'area' ? null : standIn(element, tag);
  if (box.width <= 0 && box.height <= 0 && !proxy) return { point: null, refused: HIDDEN, awaits: 'change' };
  if (at) return among([{ x: box.left + box.width * at.x, y: box.top + box.height * at.y }], element, tag, view, box, forcing, at);
  let found = null;
  if (!proxy) {
    let points;
    if (tag === 'area') inBox(box, (points = newList()));
    else points = pointsOf(element);
    found = among(points, element, tag, view, box, forcing, null);
    if (found.point) return found;
  }
  const labels = control(element, tag, 'labels');
  for (let i = 0; labels && i < listLength(labels); i += 1) {
    const label = listItem(labels, i);
    if (!isSeenBox(label)) continue;
    const byLabel = among(pointsOf(label), element, tag, view, clientRect(label), forcing, null);
    if (byLabel.point) return byLabel;
    found = found || byLabel;
  }
  return found || among(pointsOf(proxy), element, tag, view, clientRect(proxy), 'box', null);
}

// Whether what lies over an element tells of itself that it is a message, which goes again.
function passesBy(over, element) {
  for (let at = over; at && nodeType(at) === ELEMENT && !isWithin(element, at); at = flatParent(at)) {
    const live = getAttribute(at, 'aria-live');
    if (LIVE[getAttribute(at, 'role')] || live === 'polite' || live === 'assertive' || regExpExec(/toast|snack-?bar/i, getAttribute(at, 'class') || '') !== null) return true;
  }
  return false;
}

// The first point at which a press means the element. A point within a nested control counts only if there is no other:
// when that control merely listens, or the element is just its wrapper.
function among(points, element, tag, view, box, forcing, at) {
  const own = ownerDocument(element);
  let second = null;
  let refused = 'nothing takes a press there';
  let awaits = '';
  let away = true;
  for (let i = 0; i < points.length; i += 1) {
    const point = points[i];
    if (!inside(view, point)) continue;
    const top = outwards(view, point.x, point.y);
    if (!inside(window, top)) continue;
    away = false;
    const hit = elementAt(own, point.x, point.y);
    if (forcing === 'box') return { point: top, box, nested: null };
    if (!top.reached) {
      if (top.over) refused = 'the element is covered by ' + nameForPeople(top.over);
      awaits = top.over && passesBy(top.over, element) ? 'change' : 'over';
      continue;
    }
    if (at && hit && (isWithin(hit, element) || isWithin(element, hit))) {
      const between = isWithin(hit, element) ? controlBetween(hit, element) : null;
      return { point: top, box, nested: between ? between.element : null };
    }
    if (!hit || !reaches(hit, element, tag)) {
      if (hit && awaits !== 'change') {
        refused = 'the element is covered by ' + nameForPeople(hit);
        awaits = isVeil(hit, element) || passesBy(hit, element) ? 'change' : 'over';
      }
      continue;
    }
    const between = controlBetween(hit, isWithin(hit, element) ? element : labelAround(hit, element, tag));
    if (!between) return { point: top, box, nested: null };
    if (between.strength === 1) second = second || { point: top, box, nested: between.element };
    else if (isWithin(hit, element)) {
      if (second === null && onlyControl(element) === between.element) second = { point: top, box, nested: between.element };
      refused = 'the press would land on ' + nameForPeople(between.element) + ' within the element';
    } else refused = 'the press would land on ' + nameForPeople(between.element) + ' within the label';
  }
  if (second) return second;
  if (away) return { point: null, refused: 'the element cannot be scrolled into view', awaits: 'over' };
  return { point: null, refused, awaits };
}

// The label of an element that a hit lies in.
function labelAround(hit, element, tag) {
  const labels = control(element, tag, 'labels');
  for (let i = 0; labels && i < listLength(labels); i += 1) if (isWithin(hit, listItem(labels, i))) return listItem(labels, i);
  return null;
}

// A point of the document of a frame of another origin, as one of the page.
function outOfFrame(frame, at) {
  if (!frame || !isConnected(frame)) return refuse('the frame of the element is gone');
  const view = defaultView(ownerDocument(frame));
  const shown = () => {
    const inner = mapped(mapOf(frame), at.x, at.y);
    const hit = elementAt(ownerDocument(frame), inner.x, inner.y);
    const top = outwards(view, inner.x, inner.y);
    return { x: top.x, y: top.y, reached: hit === frame && top.reached && inside(window, top), over: hit === frame ? top.over : hit };
  };
  let top = shown();
  for (let i = 1; i < SCROLLS.length && !top.reached; i += 1) {
    scrollIntoView(frame, { __proto__: null, block: SCROLLS[i][0], inline: SCROLLS[i][1], behavior: 'instant' });
    top = shown();
  }
  if (top.reached && at.press) aim(frame, null);
  if (!top.reached) return refuse(top.over ? 'the frame of the element is covered by ' + nameForPeople(top.over) : 'the element cannot be scrolled into view', 'over', document);
  return answer('"x":' + number(top.x) + ',"y":' + number(top.y));
}

// A point on an option of a select that shows its options as a list.
function locateOption(key, index) {
  const element = elementOf(key);
  const option = element && optionsItem(control(element, 'select', 'options'), index);
  if (!option || !isConnected(option)) return refuse('the option is gone');
  scrollIntoView(option, { __proto__: null, block: 'nearest', behavior: 'instant' });
  const box = clientRect(option);
  const top = outwards(defaultView(ownerDocument(option)), box.left + min(10, box.width / 2), box.top + box.height / 2);
  return answer('"x":' + number(top.x) + ',"y":' + number(top.y));
}

// Sets a value that no keyboard can: a colour, whose picker is a system window. The events are not trusted.
function fill(key, value) {
  const element = elementOf(key);
  if (!element) return refuse('the element is gone');
  setInputValue(element, value);
  dispatch(element, new NativeEvent('input', { __proto__: null, bubbles: true, composed: true }));
  dispatch(element, new NativeEvent('change', { __proto__: null, bubbles: true }));
  return answer('');
}

// What acting on an element needs to know of it: its place, whether it has the focus, its value and its state.
function factsOf(element, tag, point, box) {
  return '"x":' + number(point.x) + ',"y":' + number(point.y) + ',"width":' + number(box.width) + ',"height":' + number(box.height) +
    ',"strays":' + quote(strayFocus(element)) + ',"spread":' + quote(spreadFrom(element, tag)) + ',"tag":' + quote(tag) + ',"type":' + quote(stringLower(control(element, tag, 'type') || '')) + ',"focused":' + isFocused(element) +
    ',"value":' + quote('' + (valueOf(element, tag, '') || '')) + ',"state":' + stateOf(element, tag);
}
function isFocused(element) {
  const active = focusedElement();
  return active !== null && (active === element || (isEditable(element) && isWithin(element, active) && isWithin(active, element)));
}
// The field that has the focus instead of the target; empty where none has, or one that cannot have been meant.
function strayFocus(element) {
  const active = focusedElement();
  if (active === null || isWithin(active, element) || isWithin(element, active)) return '';
  const tag = localName(active);
  if (!isEditable(active) && tag !== 'textarea' && !(tag === 'input' && TYPED[control(active, tag, 'type')])) return '';
  let isKnown = false;
  mapForEach(elements, (known) => {
    isKnown = isKnown || known === active;
  });
  return isKnown ? nameForPeople(active) : '';
}
// The text in adjacent single-character fields, from this one on.
function spreadFrom(element, tag) {
  if (tag !== 'input' || getAttribute(element, 'maxlength') !== '1') return '';
  let text = '';
  const all = everyByTag(ownerDocument(element), 'input');
  let isPast = false;
  for (let i = 0; i < optionsLength(all); i += 1) {
    const field = optionsItem(all, i);
    isPast = isPast || field === element;
    if (!isPast) continue;
    if (getAttribute(field, 'maxlength') !== '1') break;
    text += control(field, 'input', 'value');
  }
  return text;
}
function stateOf(element, tag) {
  const checked = tag === 'input' ? control(element, tag, 'checked') : attributeOrTold(element, 'aria-checked') === 'true' || attributeOrTold(element, 'aria-pressed') === 'true';
  let json = '{"checked":' + (checked === true) + ',"editable":' + isEditable(element);
  if (tag === 'select') json += ',"multiple":' + control(element, tag, 'multiple') + ',"size":' + control(element, tag, 'size') + ',"options":[' + choicesJson(control(element, tag, 'options')) + ']';
  return json + '}';
}
// The options of a select, and which of them its list shows: neither options nor groups that are hidden.
function choicesJson(list) {
  let json = '';
  const length = optionsLength(list);
  for (let i = 0; i < length && i < 1000; i += 1) {
    const option = optionsItem(list, i);
    const label = fold(control(option, 'option', 'label') || control(option, 'option', 'text'), 300);
    json += (json && ',') + '{"label":' + quote(clip(label || control(option, 'option', 'value'), 300)) +
      ',"selected":' + control(option, 'option', 'selected') + ',"disabled":' + matches(option, ':disabled') + ',"hidden":' + isHiddenOption(option) + '}';
  }
  return json;
}
function isHiddenOption(option) {
  for (let at = option; at && nodeType(at) === ELEMENT && localName(at) !== 'select'; at = parentNode(at)) {
    const style = computedStyle(at);
    if (styleValue(style, 'display') === 'none' || styleValue(style, 'visibility') === 'hidden') return true;
  }
  return false;
}
