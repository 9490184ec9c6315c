# Keeps a driver and every process it starts for exactly as long as our owner holds our standard input open.
#
# Arguments: a directory that goes with the processes, then the driver's command line. This shell leads a session of its own
# (it is started by setsid), and the session's id stays with all descendants, even those that change their process group.
# When the owner ends in any way, the kernel closes the pipe; then everything of the session is killed, and the directory
# removed. Nothing else on the machine is touched.
trap '' HUP INT TERM
directory=$1
shift

"$@" </dev/null &

while read -r _; do :; done

# Kills the session's processes but this shell, and those elsewhere that work in the directory; answers whether there were any.
sweep() {
  found=1
  for process in /proc/[0-9]*; do
    pid=${process#/proc/}
    [ "$pid" = "$$" ] && continue
    read -r line 2>/dev/null <"$process/stat" || continue
    line=${line##*) }
    set -- $line
    if [ "$4" = "$$" ] || { [ -r "$process/cmdline" ] && grep -qsF -- "$directory" "$process/cmdline"; }; then
      [ "$1" = Z ] || { kill -KILL "$pid" 2>/dev/null && found=0; }
    fi
  done
  return $found
}

tries=0
while sweep && [ $tries -lt 100 ]; do
  tries=$((tries + 1))
  sleep 0.02
done
rm -rf -- "$directory"
