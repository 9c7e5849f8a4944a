import { Command, Option } from 'commander'
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose'
import type { JWK } from 'jose'
import { print } from '../lib/terminal.ts'

const algorithms = ['EdDSA', 'ES256'] as const
type KeyAlgorithm = (typeof algorithms)[number]

/** Creates the command `latchkey keys`. */
export function keysCommand(): Command {
  return new Command('keys')
    .description('Print a new key pair that signs tokens, as JSON Web Keys.')
    .addOption(
      new Option('--alg <algorithm>', 'the algorithm of the signatures')
        .choices(algorithms)
        .default('ES256'),
    )
    .option('--as-variable', 'print the private key as the line of a file of variables')
    .addHelpText('after', help)
    .action(async ({ alg, asVariable }: { alg: KeyAlgorithm; asVariable?: true }) => {
      const key = await createTokenKey(alg)
      if (asVariable) return print(`AUTH_TOKEN_KEY='${JSON.stringify(key)}'`)
      const keys = { private: key, public: { keys: [toPublicKey(key)] } }
      print(JSON.stringify(keys, null, 2))
    })
}

const help = `
"private" signs: keep it as the secret. "public" is the key set for those who verify. The "kid" is
the thumbprint of the key (RFC 7638), so that a new key never has the name of an old one.

  $ latchkey keys                    ES256, which every library verifies
  $ latchkey keys --alg EdDSA        Ed25519: shorter and faster, for libraries that know it
  $ latchkey keys --as-variable >> .env

To replace a key, publish the new public one first, then sign with it, and remove the old one when
the last token that it signed has expired.`

/** Generates a private key with `kid`, `alg` and `use` (RFC 7517 §4). */
async function createTokenKey(alg: KeyAlgorithm): Promise<JWK> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true })
  const key = await exportJWK(privateKey)
  return { ...key, kid: await calculateJwkThumbprint(key), alg, use: 'sig' }
}

/** Returns the public half: `d` is the private member of both kinds of keys (RFC 7518 §6.2.2, RFC 8037 §2). */
function toPublicKey(key: JWK): JWK {
  return Object.fromEntries(Object.entries(key).filter(([name]) => name !== 'd'))
}
