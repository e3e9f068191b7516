#!/usr/bin/env bash
# Runs the full tier on real engines, which docker compose starts before the tests and removes after them.
set -euo pipefail
cd "$(dirname "$0")/.."
bin/engine-keys.sh
set -a && . ./.env && set +a
ca=$PWD/.chainfold/engines/ca.crt
compose() { docker compose --project-name chainfold-test --file docker-compose.yml --file tests/services.yml "$@"; }
trap 'compose down --volumes' EXIT
compose up --detach --wait eventstore mongo redis
NODE_EXTRA_CA_CERTS=$ca \
EVENTSTORE_URL="kurrentdb://admin:$EVENTSTORE_PASSWORD@127.0.0.1:2113?tlsCAFile=$ca" \
MONGODB_URL="mongodb://chainfold:$MONGODB_PASSWORD@127.0.0.1:27017/?directConnection=true&authSource=admin&tls=true&tlsCAFile=$ca" \
REDIS_URL="rediss://:$REDIS_PASSWORD@127.0.0.1:6379" \
  npm run test:full
