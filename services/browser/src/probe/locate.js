// Where to click: is the element still there, can it be brought into view, and would a click reach it?

const answer = (fields) => '{' + fields + '}';
const refuse = (reason) => answer('"refused":' + quote(reason));

// A point on an element, in the coordinates of its frame; `at` is a fraction of the box, by default the middle.
function pointOf(element, at) {
  const box = clientRect(element);
  const points = newList();
  const add = (x, y) => {
    points[points.length] = { x, y };
  };
  if (at) add(box.left + box.width * at.x, box.top + box.height * at.y);
  if (at) return points;
  add(box.left + box.width / 2, box.top + box.height / 2);
  const parts = clientRects(element); // a link that wraps has a box for each line
  for (let i = 0; i < rectsLength(parts) && i < 8; i += 1) {
    const part = rectOf(rectsItem(parts, i));
    add(part.left + part.width / 2, part.top + part.height / 2);
  }
  add(box.left + min(5, box.width / 4), box.top + min(5, box.height / 4));
  add(box.left + box.width - min(5, box.width / 4), box.top + box.height - min(5, box.height / 4));
  return points;
}

const inside = (view, point) => point.x >= 0 && point.y >= 0 && point.x < innerWidth(view) && point.y < innerHeight(view);

function nameForPeople(element) {
  const id = getAttribute(element, 'id');
  const text = clip(fold(textContent(element) || ''), 40);
  return '<' + localName(element) + (id ? ' id=' + id : '') + '>' + (text ? ' “' + text + '”' : '');
}

// The offset of a document within the top-level page, through its same-origin frames.
function offsetOf(view) {
  let x = 0;
  let y = 0;
  for (let at = view; at !== window && at; at = at.parent) {
    const frame = at.frameElement;
    if (!frame) break;
    const box = clientRect(frame);
    x += box.left + clientLeft(frame) + padding(frame, 'padding-left');
    y += box.top + clientTop(frame) + padding(frame, 'padding-top');
  }
  return { x, y };
}

function locate(key, at, forcing) {
  touched();
  const element = mapGet(elements, key);
  if (!element || !isConnected(element)) return refuse('the element is gone');
  const tag = localName(element);
  if (forcing !== 'box' && (FIELD[tag] || tag === 'button') && matches(element, ':disabled')) return refuse('the element is disabled');
  const own = ownerDocument(element);
  const view = defaultView(own);
  if (!view) return refuse('the frame of the element is gone');
  if (forcing === 'frame') return frameOffset(element);
  let reason = 'the element has no box';
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const box = clientRect(element);
    if (box.width <= 0 && box.height <= 0 && tag !== 'area') return refuse('the element has no box: it is hidden');
    const points = pointOf(element, at);
    for (let i = 0; i < points.length; i += 1) {
      const point = points[i];
      const { x, y } = offsetOf(view);
      const top = { x: point.x + x, y: point.y + y };
      if (!inside(view, point) || !inside(window, top)) {
        reason = 'the element cannot be scrolled into view';
        continue;
      }
      const hit = elementAt(own, point.x, point.y);
      const through = forcing === 'box' || (at && hit && (isWithin(hit, element) || isWithin(element, hit)));
      if (through || (reaches(hit, element, tag) && reachesFrames(view, top))) {
        return answer('"x":' + number(top.x) + ',"y":' + number(top.y) + ',"width":' + number(box.width) + ',"height":' + number(box.height) +
          ',"tag":' + quote(tag) + ',"type":' + quote(stringLower(control(element, tag, 'type') || '')) + ',"focused":' + (focusedElement() === element) + ',"moves":' + movesUnderPointer(element) +
          ',"value":' + quote('' + (valueOf(element, tag, '') || '')) + ',"state":' + stateOf(element, tag));
      }
      reason = hit ? 'the element is covered by ' + nameForPeople(hit) : 'nothing takes a click there';
    }
    if (attempt === 0) scrollIntoView(element, { __proto__: null, block: 'center', inline: 'nearest', behavior: 'instant' });
  }
  return refuse(reason);
}

// A point on an option of a select that shows its options as a list.
function locateOption(key, index) {
  const element = mapGet(elements, key);
  const option = element && optionsItem(control(element, 'select', 'options'), index);
  if (!option || !isConnected(option)) return refuse('the option is gone');
  scrollIntoView(option, { __proto__: null, block: 'nearest', behavior: 'instant' });
  const box = clientRect(option);
  const { x, y } = offsetOf(defaultView(ownerDocument(option)));
  return answer('"x":' + number(box.left + x + min(10, box.width / 2)) + ',"y":' + number(box.top + y + box.height / 2));
}

// Gives a field a value that no keyboard can: a colour, whose chooser is a window of the system. The events are not trusted.
function fill(key, value) {
  const element = mapGet(elements, key);
  if (!element) return refuse('the element is gone');
  setInputValue(element, value);
  dispatch(element, new NativeEvent('input', { __proto__: null, bubbles: true, composed: true }));
  dispatch(element, new NativeEvent('change', { __proto__: null, bubbles: true }));
  return answer('');
}

// Where the content of a frame of another origin begins.
function frameOffset(element) {
  scrollIntoView(element, { __proto__: null, block: 'nearest', inline: 'nearest', behavior: 'instant' });
  const box = clientRect(element);
  const { x, y } = offsetOf(defaultView(ownerDocument(element)));
  return answer('"x":' + number(box.left + x + clientLeft(element) + padding(element, 'padding-left')) +
    ',"y":' + number(box.top + y + clientTop(element) + padding(element, 'padding-top')));
}

// Whether the frames between the page and a document are what a click at that point meets.
function reachesFrames(view, top) {
  if (view === window) return true;
  const hit = elementAt(document, top.x, top.y);
  for (let at = view; at && at !== window; at = at.parent) if (at.parent === window) return hit === at.frameElement;
  return false;
}

// What acting on the element needs to know: the state of a checkbox, the options of a select.
function stateOf(element, tag) {
  const checked = tag === 'input' ? control(element, tag, 'checked') : getAttribute(element, 'aria-checked') === 'true' || getAttribute(element, 'aria-pressed') === 'true';
  let json = '{"checked":' + (checked === true) + ',"editable":' + (isEditable(element) || element.isContentEditable === true);
  if (tag === 'select') json += ',"multiple":' + control(element, tag, 'multiple') + ',"size":' + control(element, tag, 'size') + ',"options":[' + optionsJson(control(element, tag, 'options')) + ']';
  return json + '}';
}
