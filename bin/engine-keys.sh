#!/bin/sh
# Makes what the engines of docker-compose.yml need to trust the service and to be trusted by it: a certificate authority, a
# certificate for each engine, passwords, and the master key. Keeps whatever exists, so it may be run again.
set -eu
cd "$(dirname "$0")/.."
keys=.chainfold/engines
umask 077
mkdir -p "$keys"
touch .env
# A last line that is not ended would swallow the next one.
[ -z "$(tail -c 1 .env)" ] || echo >>.env

secret() { # name: writes a random value into .env unless there is one
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

certificate() { # host, common name: makes a key and a certificate of the authority
  [ -s "$keys/$1.crt" ] && return
  openssl req -newkey rsa:2048 -noenc -subj "/O=chainfold/CN=$2" -keyout "$keys/$1.key" -out "$keys/$1.csr" 2>"$keys/log"
  printf 'subjectAltName=DNS:%s,DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n' "$1" >"$keys/$1.ext"
  openssl x509 -req -in "$keys/$1.csr" -CA "$keys/ca.crt" -CAkey "$keys/ca.key" -CAcreateserial -days "$days" \
    -extfile "$keys/$1.ext" -out "$keys/$1.new" 2>"$keys/log"
  cat "$keys/$1.new" "$keys/$1.key" >"$keys/$1.pem"
  # Containers read these as users of their own; the folder keeps other users of this machine out.
  chmod 644 "$keys/$1.key" "$keys/$1.pem" "$keys/$1.new"
  mv "$keys/$1.new" "$keys/$1.crt"
  rm "$keys/$1.csr" "$keys/$1.ext"
}
certificate eventstore eventstoredb-node
certificate mongo mongo
certificate redis redis
chmod 644 "$keys/ca.crt"
rm -f "$keys/log"
echo "The passwords and the master key are in .env, the certificates in $keys: keep both out of reach, and in your backup."
