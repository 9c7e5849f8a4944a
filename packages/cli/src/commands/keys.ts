import { generateTokenKey } from '@latchkey/tokens/token-key'
import { Command, Option } from 'commander'
import { print } from '../lib/terminal.ts'

const algorithms = ['EdDSA', 'ES256', 'RS256'] as const
type KeyAlgorithm = (typeof algorithms)[number]

/** Creates the command `latchkey keys`. */
export function keysCommand(): Command {
  return new Command('keys')
    .description('Print a new key pair that signs tokens, as JSON Web Keys.')
    .addOption(
      new Option('--alg <algorithm>', 'the algorithm of the signatures')
        .choices(algorithms)
        .default('EdDSA'),
    )
    .option('--as-variable', 'print the private key as TOKEN_KEYS, a line of a file of variables')
    .addHelpText('after', help)
    .action(async ({ alg, asVariable }: { alg: KeyAlgorithm; asVariable?: true }) => {
      const key = await generateTokenKey(alg)
      if (asVariable) return print(`TOKEN_KEYS='${JSON.stringify([key])}'`)
      const keys = { private: key, public: { keys: [toPublicKey(key)] } }
      print(JSON.stringify(keys, null, 2))
    })
}

const help = `
"private" signs: keep it as the secret. "public" is the key set for those who verify. The "kid" is
the thumbprint of the key (RFC 7638), so that a new key never has the name of an old one.

  $ latchkey keys                    EdDSA (Ed25519): short and fast
  $ latchkey keys --alg ES256        for libraries that do not know EdDSA
  $ latchkey keys --alg RS256        for OpenID clients that know no other one
  $ latchkey keys --as-variable >> .env

Give the list to the service: apiTokens({ keys: JSON.parse(process.env.TOKEN_KEYS), … }). To replace a
key, add the new one as the second; after ten minutes put it first; after maxAge more, remove the old one.`

/** The private members of keys (RFC 7518 §6.2.2, §6.3.2, RFC 8037 §2). */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi']

function toPublicKey(key: object): object {
  return Object.fromEntries(Object.entries(key).filter(([name]) => !privateMembers.includes(name)))
}
