#!/usr/bin/env bash
# The full tier on real engines: brings them up with docker compose, runs the tests against them, takes them down.
set -euo pipefail
cd "$(dirname "$0")/.."
export CHAINFOLD_MASTER_KEY=${CHAINFOLD_MASTER_KEY:-$(openssl rand -hex 32)}
compose() { docker compose --project-name chainfold-test "$@"; }
trap 'compose down --volumes' EXIT
compose up --detach --wait eventstore mongo redis
EVENTSTORE_URL='esdb://127.0.0.1:2113?tls=false' \
MONGODB_URL='mongodb://127.0.0.1:27017/?directConnection=true' \
REDIS_URL='redis://127.0.0.1:6379' \
  npm run test:full
