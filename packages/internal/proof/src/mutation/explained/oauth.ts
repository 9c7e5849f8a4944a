import { explain } from './explanation.ts'
import type { Explained } from './explanation.ts'

/** Of core/oauth. */
export const oauth: readonly Explained[] = [
  ...explain(
    'packages/core/src/oauth/authentication.ts',
    'Without an ID Token `acr` is undefined, and `acr_values` are sent to OpenID providers only.',
    ['drop-left', 'idToken && requested.length > 0', 'toAuthentication'],
  ),
  ...explain(
    'packages/core/src/oauth/authentication.ts',
    'An empty list of methods is read like a missing one.',
    ['drop-left', 'methods.length > 0 && { amr: methods }', 'toProviderAuthentication'],
    ['boundary', 'methods.length > 0', 'toProviderAuthentication'],
  ),
  ...explain(
    'packages/core/src/oauth/authorization-request.ts',
    'It is a part of a message for people: no code reads it.',
    ['string', "'pushed authorization request endpoint'", 'pushAuthorizationRequest'],
  ),
  ...explain(
    'packages/core/src/oauth/back-off.ts',
    'The cause is a part of what the log has: nothing decides by it.',
    ['statement', 'cause = thrown', 'createBackOff.fail'],
    ['statement', 'cause = undefined', 'createBackOff.reset'],
  ),
  ...explain(
    'packages/core/src/oauth/client-context.ts',
    'A test that notices a thousandth would repeat the number.',
    ['number', '1000', 'toClient'],
    ['number', '1000', 'getSeconds'],
  ),
  ...explain(
    'packages/core/src/oauth/client-context.ts',
    'Start-up refuses the client authentication without a key.',
    ['string', "'privateKey'", 'privateKeyJwt'],
  ),
  ...explain(
    'packages/core/src/oauth/client-context.ts',
    'A server without a token endpoint is refused before a client authenticates.',
    ['nullish', 'as.token_endpoint ?? as.issuer', 'privateKeyJwt'],
  ),
  ...explain(
    'packages/core/src/oauth/discovery.ts',
    'It is a part of a message for people: no code reads it.',
    ['string', '`${config.id}: discovery`', 'createDiscovery.backOff'],
  ),
  ...explain(
    'packages/core/src/oauth/endpoint.ts',
    'Our errors are thrown before a request is made.',
    ['drop-right', '!exchange || thrown instanceof AuthError', 'requestEndpoint'],
  ),
  ...explain(
    'packages/core/src/oauth/endpoint.ts',
    'It is a part of a message for people: no code reads it.',
    ['drop-left', 'name === DISCOVERY && status === 404', 'getAdvice'],
  ),
  ...explain('packages/core/src/oauth/explain-mismatch.ts', 'oauth4webapi throws errors only.', [
    'return',
    'return thrown',
    'explainMismatch',
    'if (!(thrown instanceof Error)) return thrown',
  ]),
  ...explain(
    'packages/core/src/oauth/explain-mismatch.ts',
    'It is a part of a message for people: no code reads it.',
    ['drop-right', "claim === 'exp' || claim === 'nbf'", 'explainMismatch'],
    ['string', "'nbf'", 'explainMismatch'],
    ['arithmetic', 'Number(claims?.[claim]) - now', 'explainMismatch.off'],
    ['negate', 'off < 0', 'explainMismatch.message'],
    ['number', '0', 'explainMismatch.message'],
    ['string', "'ago'", 'explainMismatch.message'],
    ['string', "'ahead'", 'explainMismatch.message'],
    ['drop-right', 'parameters && thrown.message.includes(\'"iss"\')', 'explainMismatch.isIssuer'],
    ['string', '\'"iss"\'', 'explainMismatch.isIssuer'],
  ),
  ...explain(
    'packages/core/src/oauth/explain-mismatch.ts',
    'A claim that is equal to the time is accepted.',
    ['boundary', 'off < 0', 'explainMismatch.message'],
  ),
  ...explain(
    'packages/core/src/oauth/explain-mismatch.ts',
    'The error is a cause in the log: without the explanation, the sign-in is refused by the same error.',
    ['if-false', 'expected === undefined', 'explainMismatch'],
    ['return', 'return thrown', 'explainMismatch', 'if (!isIssuer) return thrown'],
  ),
  ...explain(
    'packages/core/src/oauth/explain-mismatch.ts',
    'oauth4webapi has another error for a claim that is missing.',
    ['nullish', "JSON.stringify(value) ?? 'none'", 'format.text'],
    ['string', "'none'", 'format.text'],
  ),
  ...explain(
    'packages/core/src/oauth/fetch-text.ts',
    'A response that is not ok is refused whatever its text is.',
    ['drop-left', 'response.ok && !isUtf8(await response.clone().arrayBuffer())', 'fetchText'],
  ),
  ...explain(
    'packages/core/src/oauth/id-token.ts',
    'The keys are a copy that is used once: when they were fetched is compared with nothing.',
    ['arithmetic', 'platformClock.now() / 1000', 'verifyWithKeys.cache.uat'],
  ),
  ...explain(
    'packages/core/src/oauth/jarm.ts',
    'It is a part of a message for people: no code reads it.',
    ['string', "'responseMode'", 'createResponses'],
  ),
  ...explain(
    'packages/core/src/oauth/jwks.ts',
    'The generator awaits what it yields.',
    ['await', 'await fetchCounted(cache, uri, runtime, false)', 'getCandidates'],
    ['await', 'await fetchCounted(cache, uri, runtime, true)', 'getCandidates'],
  ),
  ...explain(
    'packages/core/src/oauth/jwks.ts',
    'Without a document the keys that are kept have expired.',
    ['drop-left', 'document && (cache.latest = document)', 'recall'],
  ),
  ...explain(
    'packages/core/src/oauth/jwks.ts',
    'An empty list of keys verifies no signature: it is refused either way.',
    ['drop-right', 'strong.length > 0 || keys.length === 0', 'removeWeakKeys'],
  ),
  ...explain(
    'packages/core/src/oauth/jwks.ts',
    'What is not an object has neither `kid` nor `kty`, and is never used.',
    ['drop-right', 'isList(keys) && keys.every(isObject)', 'isKeySet'],
  ),
  ...explain(
    'packages/core/src/oauth/metadata-cache.ts',
    'The limit only saves a split: the first part is the same.',
    ['number', '1', 'open'],
  ),
  ...explain(
    'packages/core/src/oauth/provider-config.ts',
    'It is a part of a message for people: no code reads it.',
    ['string', '`providers.${id}.checks`', 'checkChecks'],
    ['string', '`providers.${id}.${name}`', 'checkUsers'],
    ['string', '`providers.${id}.params`', 'checkParameters'],
    ['string', '`providers.${id}.forward`', 'checkParameters'],
  ),
  ...explain(
    'packages/core/src/oauth/provider-config.ts',
    'A function is not the empty text either.',
    [
      'drop-left',
      "typeof clientSecret === 'function' || (clientSecret ?? '') !== ''",
      'hasClientSecret',
    ],
  ),
  ...explain(
    'packages/core/src/oauth/provider.ts',
    "The other members of the responses are replaced by the provider's, or read by no code.",
    ['drop-right', 'responses && { readState: responses.readState }', 'createProvider'],
  ),
  ...explain(
    'packages/core/src/oauth/token-request.ts',
    'It is a part of a message for people: no code reads it.',
    ['string', "'token endpoint'", 'TOKEN_ENDPOINT'],
  ),
  ...explain(
    'packages/core/src/oauth/userinfo.ts',
    'A thrown error without a status comes from elsewhere: any number but the status of a refusal leads it on.',
    ['number', '200', 'getJson.status'],
  ),
  ...explain(
    'packages/core/src/oauth/weak-keys.ts',
    'A weak key passes for every prime of the list: with one number less it is still found, and no strong key passes the others.',
    ['number', '13', 'primes'],
    ['number', '37', 'primes'],
    ['number', '61', 'primes'],
    ['number', '73', 'primes'],
    ['number', '97', 'primes'],
    ['number', '109', 'primes'],
    ['number', '157', 'primes'],
  ),
  ...explain(
    'packages/core/src/oauth/weak-keys.ts',
    'A power for each residue is within the first `prime` ones: one more repeats the first.',
    ['boundary', 'i < prime', 'isPowerOf65537'],
  ),
]
