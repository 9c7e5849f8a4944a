#!/bin/sh
# Builds the service into a folder that has only what it needs to run: the program, the packages as they are
# published, and their dependencies. The Dockerfile calls it, and so can an installation without containers.
#
#   sh apps/node/deploy/build.sh /opt/latchkey
set -eu
target=$1
cd "$(dirname "$0")/../../.."

pnpm() { npx -y pnpm@12 "$@"; }

pnpm install --frozen-lockfile --trust-lockfile --filter latchkey --filter '@latchkey/app-node...'
pnpm --filter-prod '@latchkey/app-node^...' run build
pnpm --filter @latchkey/app-node --prod deploy "$target"
node apps/node/deploy/use-built-packages.mjs "$target"
