#!/usr/bin/env bash
# Installs what the tests start themselves (a browser, its certificate store, a Redis Cluster, oathtool, programs that hash passwords), pnpm, and the packages.
set -eu
sudo apt-get update -qq
sudo apt-get install -y -qq --no-install-recommends chromium-headless-shell libnss3-tools redis-server oathtool \
  apache2-utils libapache2-mod-auth-openidc argon2 php-cli python3-django python3-fido2 python3-passlib
npm install --global pnpm@12
pnpm install --frozen-lockfile
