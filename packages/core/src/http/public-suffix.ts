import { lazyPattern } from '../lib/lazy-pattern.ts'

/**
 * Suffixes below which anyone can have a host, from the Public Suffix List: suffixes of registries
 * and of common hosting services. Browsers have the whole list; this part finds mistakes.
 */
// prettier-ignore
const suffixes = [
  '(?:ac|com?|edu|gob|gouv|govt?|gv|net|org)\\.[a-z]{2}',
  '(?:ad|ed|go|gr|lg|ne|or)\\.jp|(?:go|ne|or)\\.(?:kr|tz|ug)|(?:go|or)\\.(?:cr|id|ke|th)|or\\.(?:at|mu)',
  '(?:ltd|me|nhs|plc)\\.uk',
  '(?:base44|(?:preview\\.)?csb|framer|lovable|netlify|ngrok|ngrok-free|ondigitalocean|replit|[\\w-]+\\.run|streamlit|up\\.railway|vercel|web)\\.app',
  '(?:app\\.github|deno|fly|ngrok|ngrok-free|pages|r2|(?:[\\w-]+\\.)?replit|vercel|workers)\\.dev',
  '(?:bitbucket|github|gitlab|ngrok|readthedocs|webflow|(?:[\\w-]+\\.)?(?:azurecontainer(?:apps)?|gitpod)|(?:\\d+\\.){0,3}(?:nip|sslip))\\.io',
  '(?:amplifyapp|blogspot|(?:[\\w-]+\\.)?elasticbeanstalk|firebaseapp|githubusercontent|herokuapp|myshopify|onrender|pythonanywhere|(?:[\\w-]+\\.r\\.)?appspot|trycloudflare|wixsite)\\.com',
  '(?:s3[\\w-]*(?:\\.[\\w-]+)?|compute-1|execute-api\\.[\\w-]+|(?:[\\w-]+\\.)?(?:compute|elb))\\.amazonaws\\.com|[\\w-]+\\.awsapprunner\\.com|lambda-url\\.[\\w-]+\\.on\\.aws',
  '(?:azureedge|azurefd|(?:[\\w-]+\\.)?azurestaticapps|azurewebsites|cloudapp|cloudfront|cloudfunctions|(?:blob|web)\\.core\\.windows|trafficmanager|ts)\\.net|(?:[\\w-]+\\.)?cloudapp\\.azure\\.com',
  '(?:(?:id\\.)?repl|supabase)\\.co|loca\\.lt|(?:[\\w-]+\\.)?devtunnels\\.ms|(?:duckdns|eu|js)\\.org|surge\\.sh|(?:figma|notion)\\.site|hf\\.space',
]

/** The first match is the longest suffix; the last label is one in any case. */
const ending = lazyPattern(`(?:^|\\.)(${suffixes.join('|')}|[^.]+)$`, '')

/** Returns the public suffix of a host name in the spelling of `URL`, such as `co.uk` or `github.io`. */
export function getPublicSuffix(host: string): string {
  return ending().exec(host)?.[1] ?? host
}

/** Returns the suffix of a host and the label before it; undefined if the host is such a suffix itself. */
export function getSite(host: string): string | undefined {
  const suffix = getPublicSuffix(host)
  if (suffix === host) return undefined
  const labels = host.slice(0, -suffix.length - 1).split('.')
  return `${labels.at(-1)}.${suffix}`
}
