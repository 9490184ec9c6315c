#!/bin/sh
# Makes the token of the roles and the password of PostgreSQL, where they are not there yet.
set -eu
cd "$(dirname "$0")"
umask 077
random() { head -c 30 /dev/urandom | base64 | tr '+/' 'ab'; }
mkdir -p secrets
if [ ! -s secrets/token ]; then
  random >secrets/token
  # Containers read it as another user. On this machine nobody else gets into its folder.
  chmod 444 secrets/token
fi
[ -s .env ] || printf 'POSTGRES_PASSWORD=%s\n' "$(random)" >.env
