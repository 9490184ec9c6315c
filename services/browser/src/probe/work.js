// Pending work: everything that can still change the page on its own. The page is quiet when none is left. Nothing here
// inspects the DOM or waits for a fixed time.

const PATIENCE = 2000; // ms that a repeating piece of work is followed before it counts as periodic
const FAST = 250; // ms; a slower interval is a clock or a poll from the start
const IDLE_TICKS = 5; // repetitions without a change of the DOM after which it counts as periodic
const TRANSITION = 2500; // ms; the longest remaining run of an animation that is waited for

const timers = new SafeMap(); // id -> one-shot timer
const intervals = new SafeMap(); // id -> interval
const frames = new SafeMap(); // id -> animation frame request
const requests = new SafeSet(); // fetch, XHR, bodies being read, messages to workers
const resources = new SafeMap(); // inserted script, stylesheet or frame -> token
const learnt = new SafeMap(); // delay and name of a timer -> its run of firings without input

let mutations = 0;
let inputs = 0; // how often Rutter acted on this document
let leaving = null; // a navigation to another document that has begun
let observers = false; // whether the page watches layout, so that a frame can change it
let frameWanted = false;
let chain = null; // of the callback that runs now
let wake = null; // ends the wait of a settling call
let downloads = 0; // asked for by the page since the last observation
let late = false; // whether page scripts may have run before the probe

// A sandboxed document may forbid scripts: then the probe runs only when called, and no timer, event or message ever
// calls back.
let scripted = false;
const trial = new EventTarget();
nativeListen(trial, 'called', () => {
  scripted = true;
});
dispatch(trial, new NativeEvent('called'));

const ONCE = { __proto__: null, once: true };
const signal = () => {
  if (wake) wake();
};

const byInput = () => {
  const event = windowEvent();
  return event !== undefined && event !== null && isTrusted(event);
};

const beginChain = () => ({ born: now(), ticks: 0, idle: 0, seen: mutations });

const follow = () => chain || beginChain();

function tick(own) {
  own.ticks += 1;
  own.idle = own.seen === mutations ? own.idle + 1 : 0;
  own.seen = mutations;
}

const periodic = (own, time) => time - own.born > PATIENCE || own.idle >= IDLE_TICKS;

function inChain(own, callback, self, args) {
  const outer = chain;
  chain = own;
  try {
    return apply(callback, self, args);
  } finally {
    chain = outer;
    signal();
  }
}

// Equal timers that recur for a while without input are a poll, even if promises hide the chain.
function learn(key, time) {
  const run = mapGet(learnt, key);
  if (!run || run.inputs !== inputs) mapSet(learnt, key, { first: time, count: 1, inputs, poll: run ? run.poll : false });
  else {
    run.count += 1;
    if (run.count > 3 && time - run.first > PATIENCE) run.poll = true;
  }
}

const isPoll = (key) => {
  const run = mapGet(learnt, key);
  return run !== undefined && run.poll;
};

wrap(window, 'setTimeout', {
  apply(target, self, args) {
    const callback = args[0];
    const delay = max(0, +args[1] || 0);
    const key = delay + (typeof callback === 'function' ? ' ' + callback.name : '');
    const timer = { due: now() + delay, key, own: byInput() ? beginChain() : follow(), input: byInput(), given: false };
    let id;
    if (typeof callback === 'function') {
      args[0] = function () {
        mapDelete(timers, id);
        tick(timer.own);
        learn(key, now());
        return inChain(timer.own, callback, this, arguments);
      };
    }
    id = apply(target, self, args);
    mapSet(timers, id, timer);
    return id;
  },
});
wrap(window, 'setInterval', {
  apply(target, self, args) {
    const callback = args[0];
    const interval = { own: beginChain(), delay: max(1, +args[1] || 0), given: false };
    if (typeof callback === 'function') {
      args[0] = function () {
        tick(interval.own);
        return inChain(interval.own, callback, this, arguments);
      };
    }
    const id = apply(target, self, args);
    mapSet(intervals, id, interval);
    return id;
  },
});
const forget = {
  apply(target, self, args) {
    mapDelete(timers, args[0]);
    mapDelete(intervals, args[0]);
    signal();
    return apply(target, self, args);
  },
};
wrap(window, 'clearTimeout', forget);
wrap(window, 'clearInterval', forget);
wrap(window, 'requestAnimationFrame', {
  apply(target, self, args) {
    const callback = args[0];
    if (typeof callback !== 'function') return apply(target, self, args);
    const frame = { own: byInput() ? beginChain() : follow() };
    let id;
    args[0] = function () {
      mapDelete(frames, id);
      tick(frame.own);
      return inChain(frame.own, callback, this, arguments);
    };
    id = apply(target, self, args);
    mapSet(frames, id, frame);
    return id;
  },
});
wrap(window, 'cancelAnimationFrame', {
  apply(target, self, args) {
    mapDelete(frames, args[0]);
    signal();
    return apply(target, self, args);
  },
});

function request() {
  const token = { given: false };
  setAdd(requests, token);
  return () => {
    setDelete(requests, token);
    signal();
  };
}

const untilSettled = {
  apply(target, self, args) {
    const done = request();
    try {
      const promise = apply(target, self, args);
      then(promise, done, done);
      return promise;
    } catch (error) {
      done();
      throw error;
    }
  },
};
wrap(window, 'fetch', untilSettled);
for (const name of ['arrayBuffer', 'blob', 'bytes', 'formData', 'json', 'text']) wrap(Response.prototype, name, untilSettled);
wrap(XMLHttpRequest.prototype, 'send', {
  apply(target, self, args) {
    const done = request();
    nativeListen(self, 'loadend', done, ONCE);
    try {
      return apply(target, self, args);
    } catch (error) {
      done();
      throw error;
    }
  },
});

// A worker that was sent a message is believed to answer within a second.
if (window.Worker) {
  wrap(Worker.prototype, 'postMessage', {
    apply(target, self, args) {
      const done = request();
      nativeListen(self, 'message', done, ONCE);
      nativeSetTimeout(done, 1000);
      return apply(target, self, args);
    },
  });
}

for (const name of ['IntersectionObserver', 'ResizeObserver']) {
  wrap(window, name, {
    construct(target, args, self) {
      observers = true;
      return construct(target, args, self);
    },
  });
}

const loads = (element) => {
  if (nodeType(element) !== ELEMENT) return false;
  const tag = localName(element);
  if (tag === 'script') return hasAttribute(element, 'src');
  if (tag === 'link') return stringLower(getAttribute(element, 'rel') || '') === 'stylesheet';
  return tag === 'iframe' && getAttribute(element, 'loading') !== 'lazy';
};

const watched = new SafeSet();
const observerList = newList();
function watch(root) {
  setAdd(watched, root);
  const observer = new NativeMutationObserver(notice);
  observerList[observerList.length] = observer;
  observeMutations(observer, root, { __proto__: null, subtree: true, childList: true, attributes: true, characterData: true });
}
function notice(changes) {
  mutations += changes.length;
  lastMutation = now();
  for (let i = 0; i < changes.length; i += 1) {
    mutated(changes[i]);
    if (changeType(changes[i]) !== 'childList' || readyState(document) === 'loading') continue;
    const added = addedNodes(changes[i]);
    for (let j = 0; j < listLength(added); j += 1) {
      const element = listItem(added, j);
      if (loads(element) && isConnected(element)) mapSet(resources, element, { given: false });
    }
  }
}
// Processes mutations that the observers have not delivered yet.
function noticeMutations() {
  for (let i = 0; i < observerList.length; i += 1) {
    const changes = takeRecords(observerList[i]);
    if (changes.length > 0) notice(changes);
  }
}
watch(document);
wrap(Element.prototype, 'attachShadow', {
  apply(target, self, args) {
    const root = apply(target, self, args);
    if (openRoot(self) !== root) weakSet(closedRoots, self, root);
    watch(root);
    return root;
  },
});
wrap(HTMLElement.prototype, 'attachInternals', {
  apply(target, self, args) {
    const own = apply(target, self, args);
    weakSet(internals, self, own);
    return own;
  },
});
const loaded = (event) => {
  const target = eventTarget(event);
  if (target && target !== window && isStyle(target)) invalidateAll();
  if (mapDelete(resources, target)) signal();
};
nativeListen(document, 'load', loaded, true);
nativeListen(document, 'error', loaded, true);
nativeListen(document, 'readystatechange', signal);
nativeListen(window, 'load', signal);

// Records that a navigation left the document in place: a response without content ends it, and no event tells the
// page.
const stays = () => {
  leaving = null;
  signal();
};
if (window.navigation) {
  nativeListen(navigation, 'navigate', (event) => {
    if (event.downloadRequest !== null) downloads += 1;
    if (event.hashChange && event.destination.url !== documentUrl(document)) {
      // The page is told of another fragment by a task of its own.
      const done = request();
      nativeListen(window, 'hashchange', done, ONCE);
      nativeSetTimeout(done, 100); // not where the page takes the navigation over
    }
    if (event.destination.sameDocument || event.hashChange || event.downloadRequest !== null) return;
    leaving = { given: false };
    nativeListen(event.signal, 'abort', stays);
  });
  nativeListen(navigation, 'navigatesuccess', stays);
  nativeListen(navigation, 'navigateerror', stays);
}

// The pending work: its kinds for the report, the earliest time at which some ends by itself, and all tokens. `given`
// is work that outlived an earlier deadline: it is reported but not waited for again.
function pending(horizon) {
  const time = now();
  const found = { __proto__: null, kinds: newList(), wait: false, next: Infinity, tokens: newList() };
  const note = (kind, token) => {
    if (!includes(found.kinds, kind)) found.kinds[found.kinds.length] = kind;
    if (token) found.tokens[found.tokens.length] = token;
    if (!token || !token.given) found.wait = true;
  };
  mapForEach(timers, (timer, id) => {
    if (timer.due < time - 1000) mapDelete(timers, id); // its code was a string; it ran unseen
    else if (timer.due - time > horizon || (!timer.input && (isPoll(timer.key) || periodic(timer.own, time)))) return;
    else note('timers', timer);
  });
  mapForEach(intervals, (interval) => {
    if (interval.delay <= FAST && !periodic(interval.own, time)) note('timers', interval);
  });
  if (!documentHidden(document)) {
    mapForEach(frames, (frame) => {
      if (!periodic(frame.own, time)) note('animations', null);
    });
    const animations = animationsOf(document);
    for (let i = 0; i < animations.length; i += 1) {
      const effect = animationEffect(animations[i]);
      if (playState(animations[i]) !== 'running' || !effect) continue;
      const left = (computedTiming(effect).endTime - (currentTime(animations[i]) || 0)) / (playbackRate(animations[i]) || 1);
      if (!(left <= TRANSITION)) continue;
      note('animations', null);
      found.next = min(found.next, left);
      frameWanted = true; // its end is told to the page when the next frame is drawn
    }
  }
  setForEach(requests, (token) => note('requests', token));
  mapForEach(resources, (token, element) => {
    if (isConnected(element)) note('requests', token);
    else mapDelete(resources, element);
  });
  if (readyState(document) !== 'complete') note('requests', loading);
  if (leaving) note('navigation', leaving);
  return found;
}
const loading = { given: false };
const includes = (list, item) => {
  for (let i = 0; i < list.length; i += 1) if (list[i] === item) return true;
  return false;
};

// Waits one turn until the event loop has run everything queued now. If the page queues tasks that cannot be observed
// (message channels, the scheduler's own, events that come as tasks), a background task is awaited, which runs after
// all others; otherwise the next task is enough. If nothing can be queued unseen, no turn is taken: a turn waits for
// the next frame.
let queues = false;
let unseen = true; // whether something may be queued now: a document that was just made, a form that was just sent
let turns = newList();
turnChannel.port1.onmessage = () => {
  const due = turns;
  turns = newList();
  for (let i = 0; i < due.length; i += 1) due[i]();
};
const idle = () => new SafePromise((resolve) => {
  if (queues && nativePostTask) nativePostTask(resolve, { __proto__: null, priority: 'background' });
  else {
    turns[turns.length] = resolve;
    nativePost(turnChannel.port2, 0);
  }
});
const queueing = {
  apply(target, self, args) {
    queues = true;
    return apply(target, self, args);
  },
  construct(target, args, self) {
    queues = true;
    return construct(target, args, self);
  },
};
for (const name of ['MessageChannel', 'BroadcastChannel', 'FileReader']) wrap(window, name, queueing);
for (const name of ['postMessage', 'requestIdleCallback', 'createImageBitmap']) wrap(window, name, queueing);
if (window.scheduler) for (const name of ['postTask', 'yield']) wrap(Scheduler.prototype, name, queueing);
wrap(HTMLImageElement.prototype, 'decode', queueing);
wrap(HTMLCanvasElement.prototype, 'toBlob', queueing);
if (window.IDBFactory) wrap(IDBFactory.prototype, 'open', queueing);
// A document without scripts is never called back, so it is not waited for.
const nextFrame = () => new SafePromise((resolve) => {
  if (!scripted) {
    resolve();
    return;
  }
  nativeRequestFrame(() => nativeSetTimeout(resolve, 0));
  nativeSetTimeout(resolve, 100); // a hidden page has no frames
});
const pause = (milliseconds) => new SafePromise((resolve) => {
  wake = () => {
    wake = null;
    resolve();
  };
  nativeSetTimeout(resolve, milliseconds);
});

// What the page's history will do comes from outside the page.
for (const name of ['back', 'forward', 'go']) {
  wrap(History.prototype, name, {
    apply(target, self, args) {
      const done = request();
      nativeListen(window, 'popstate', done, ONCE);
      nativeSetTimeout(done, 500); // at the ends of the history nothing happens
      return apply(target, self, args);
    },
  });
}
const sends = () => {
  unseen = true;
};
nativeListen(window, 'submit', sends, true);
wrap(HTMLFormElement.prototype, 'submit', {
  apply(target, self, args) {
    sends();
    return apply(target, self, args);
  },
});

// Waits until nothing is pending. Returns what it waited for, and what was still pending at the deadline.
async function settle(deadline, horizon) {
  const waited = newList();
  let seen = -1;
  noticeMutations();
  if (!scripted) return { __proto__: null, pending: pending(horizon).kinds, waited }; // whoever asked asks again
  let turn = queues || unseen;
  unseen = false;
  for (;;) {
    if (turn) await idle();
    turn = true;
    noticeMutations();
    const found = pending(horizon);
    for (let i = 0; i < found.kinds.length; i += 1) if (!includes(waited, found.kinds[i])) waited[waited.length] = found.kinds[i];
    if (!found.wait) {
      if (late && now() - lastMutation < QUIET_WINDOW && now() < deadline) {
        if (!includes(waited, 'quiet window')) waited[waited.length] = 'quiet window';
        await pause(QUIET_WINDOW - (now() - lastMutation));
        continue;
      }
      if ((frameWanted || (observers && mutations !== seen)) && !documentHidden(document)) {
        frameWanted = false;
        seen = mutations;
        await nextFrame();
        continue;
      }
      return { __proto__: null, pending: found.kinds, waited };
    }
    const left = deadline - now();
    if (left <= 0) {
      for (let i = 0; i < found.tokens.length; i += 1) found.tokens[i].given = true;
      return { __proto__: null, pending: found.kinds, waited };
    }
    await pause(min(left, found.next + 1));
  }
}

// A late probe cannot know what is pending, so it waits for a time without changes.
const QUIET_WINDOW = 300;
let lastMutation = now();
