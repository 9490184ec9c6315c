// Small web applications: a social network, a search engine, a mailbox.

const posts = (user) => all('.media').filter((post) => textOf(one('.username', post)) === user);
const actionNamed = (label) => Object.keys(ACTIONS).find((action) => ACTIONS[action] === label);

const markPosts = (user, count) => {
  const action = actionNamed(quoted[0]);
  const buttons = posts(user).slice(0, count).map((post) => one(`.${action}`, post));
  return click(buttons.find((button) => !button.classList.contains('active')) ?? one('#submitRow button'));
};

const onePost = () => {
  const post = posts(words(/^For the user (\S+), /)[0])[0];
  const button = one(`.${actionNamed(quoted[0])}`, post);
  return click(isShown(button) ? button : one('.more', post));
};

const searchResult = () => {
  const index = words(/click the (\d+)/)[0] - 1;
  const page = String(Math.floor(index / 3) + 1);
  const results = all('#page-content a');
  const pager = all('#pagination .page-item:not(.active) a').find((link) => textOf(link) === page);
  return firstOf(
    type(one('#search-text'), quoted[0]),
    () => results.length === 0 && click(one('#search')),
    () => click(pager ?? results[index % 3]),
  );
};

// The mailbox keeps the wanted mail and action as data of its click handlers.
const mailbox = () => {
  const threads = all('#main .email-thread');
  const { emails, expectedDetails: wanted } = $._data(threads[0], 'events').click[0].data;
  const thread = threads[emails.indexOf(wanted.email)];
  if (wanted.action === 'delete') return click(one('.trash', thread));
  if (wanted.action === 'important') return click(one('.star', thread));
  if (isShown(one('#reply'))) return firstOf(type(one('#reply-text'), wanted.reply), () => click(one('#send-reply')));
  if (isShown(one('#forward'))) {
    return firstOf(type(one('.forward-sender'), wanted.forward), () => click(one('#send-forward')));
  }
  return click(isShown(one('#email')) ? one(`.email-${wanted.action}`) : thread);
};

const solvers = {
  'email-inbox': mailbox,
  'email-inbox-forward-nl': mailbox,
  'email-inbox-forward-nl-turk': mailbox,
  'email-inbox-nl-turk': mailbox,
  'search-engine': searchResult,
  'social-media': onePost,
  'social-media-all': () => markPosts(words(/posts by (\S+) and/)[0]),
  'social-media-some': () => markPosts(words(/posts? by (\S+) and/)[0], Number(words(/on (\d+) post/)[0])),
};
