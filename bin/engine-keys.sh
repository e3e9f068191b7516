#!/bin/sh
# Creates what the service and the engines of docker-compose.yml need to trust each other: a certificate authority, a
# certificate for each engine, passwords, and the master key. Keeps whatever exists, so the script may be run again.
set -eu
cd "$(dirname "$0")/.."
keys=.chainfold/engines
umask 077
mkdir -p "$keys"
touch .env
# Ends the last line of .env if it has no line break, because the next entry would otherwise become part of that line.
[ -z "$(tail -c 1 .env)" ] || echo >>.env

secret() { # name: writes a random value for the name to .env, unless .env has one
  grep -q "^$1=." .env || printf '%s=%s\n' "$1" "$(openssl rand -hex 32)" >>.env
}
secret CHAINFOLD_MASTER_KEY
secret EVENTSTORE_PASSWORD
secret MONGODB_PASSWORD
secret REDIS_PASSWORD

days=3650
if [ ! -s "$keys/ca.crt" ]; then
  openssl req -x509 -newkey rsa:2048 -noenc -days "$days" -subj '/O=chainfold/CN=chainfold engines' \
    -keyout "$keys/ca.key" -out "$keys/ca.crt" -addext keyUsage=critical,keyCertSign,cRLSign 2>"$keys/log"
fi

certificate() { # host, common name: creates a key, and a certificate that the authority signs
  [ -s "$keys/$1.crt" ] && return
  openssl req -newkey rsa:2048 -noenc -subj "/O=chainfold/CN=$2" -keyout "$keys/$1.key" -out "$keys/$1.csr" 2>"$keys/log"
  printf 'subjectAltName=DNS:%s,DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n' "$1" >"$keys/$1.ext"
  openssl x509 -req -in "$keys/$1.csr" -CA "$keys/ca.crt" -CAkey "$keys/ca.key" -CAcreateserial -days "$days" \
    -extfile "$keys/$1.ext" -out "$keys/$1.new" 2>"$keys/log"
  cat "$keys/$1.new" "$keys/$1.key" >"$keys/$1.pem"
  # Containers read these files under other user ids. Other users of this machine cannot open the folder.
  chmod 644 "$keys/$1.key" "$keys/$1.pem" "$keys/$1.new"
  mv "$keys/$1.new" "$keys/$1.crt"
  rm "$keys/$1.csr" "$keys/$1.ext"
}
certificate eventstore eventstoredb-node
certificate mongo mongo
certificate redis redis
chmod 644 "$keys/ca.crt"
rm -f "$keys/log"
echo "The passwords and the master key are in .env, the certificates in $keys. Keep both secret, and back them up."
