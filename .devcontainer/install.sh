#!/usr/bin/env bash
# Installs what the tests start themselves (a browser, a Redis Cluster, oathtool), pnpm, and the packages.
set -eu
sudo apt-get update -qq
sudo apt-get install -y -qq --no-install-recommends chromium-headless-shell redis-server oathtool
npm install --global pnpm@12
pnpm install --frozen-lockfile
