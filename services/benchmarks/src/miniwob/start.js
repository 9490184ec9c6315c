// Starts an episode on a freshly loaded page and returns its utterance: seed, data mode, time limit, start, wait.
async (seed, mode, limit) => {
  const PATIENCE = 10000;
  const until = async (isTrue, what) => {
    const begun = performance.now();
    while (!isTrue()) {
      if (performance.now() - begun > PATIENCE) throw new Error(`${what} within ${PATIENCE} ms`);
      await new Promise((wake) => setTimeout(wake, 4));
    }
  };
  if (typeof core === 'undefined') throw new Error(`no MiniWoB++ page at ${location.href}`);
  await until(() => core.cover_div !== null, 'the page did not load');
  Math.seedrandom(seed);
  core.setDataMode(mode);
  if (limit !== null) core.EPISODE_MAX_TIME = limit;
  core.startEpisodeReal();
  await until(() => WOB_TASK_READY, 'the task did not become ready');
  return core.getUtterance();
}
