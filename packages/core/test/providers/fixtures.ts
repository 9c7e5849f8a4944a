import type { ProviderFixture } from '../support/identity-provider.ts'
import { amazonFixture } from './fixtures/amazon.ts'
import { appleFixture } from './fixtures/apple.ts'
import { atlassianFixture } from './fixtures/atlassian.ts'
import { auth0Fixture } from './fixtures/auth0.ts'
import { authentikFixture } from './fixtures/authentik.ts'
import { bitbucketFixture } from './fixtures/bitbucket.ts'
import { cognitoFixture } from './fixtures/cognito.ts'
import { discordFixture } from './fixtures/discord.ts'
import { dropboxFixture } from './fixtures/dropbox.ts'
import { facebookFixture } from './fixtures/facebook.ts'
import { figmaFixture } from './fixtures/figma.ts'
import { githubFixture } from './fixtures/github.ts'
import { gitlabFixture } from './fixtures/gitlab.ts'
import { googleFixture } from './fixtures/google.ts'
import { hubspotFixture } from './fixtures/hubspot.ts'
import { huggingfaceFixture } from './fixtures/huggingface.ts'
import { kakaoFixture } from './fixtures/kakao.ts'
import { keycloakFixture } from './fixtures/keycloak.ts'
import { lineFixture } from './fixtures/line.ts'
import { linearFixture } from './fixtures/linear.ts'
import { linkedinFixture } from './fixtures/linkedin.ts'
import { logtoFixture } from './fixtures/logto.ts'
import { microsoftEntraIdFixture } from './fixtures/microsoft-entra-id.ts'
import { naverFixture } from './fixtures/naver.ts'
import { notionFixture } from './fixtures/notion.ts'
import { oktaFixture } from './fixtures/okta.ts'
import { patreonFixture } from './fixtures/patreon.ts'
import { paypalFixture } from './fixtures/paypal.ts'
import { redditFixture } from './fixtures/reddit.ts'
import { salesforceFixture } from './fixtures/salesforce.ts'
import { slackFixture } from './fixtures/slack.ts'
import { spotifyFixture } from './fixtures/spotify.ts'
import { stravaFixture } from './fixtures/strava.ts'
import { tiktokFixture } from './fixtures/tiktok.ts'
import { twitchFixture } from './fixtures/twitch.ts'
import { twitterFixture } from './fixtures/twitter.ts'
import { vercelFixture } from './fixtures/vercel.ts'
import { workosFixture } from './fixtures/workos.ts'
import { yahooFixture } from './fixtures/yahoo.ts'
import { yandexFixture } from './fixtures/yandex.ts'
import { zitadelFixture } from './fixtures/zitadel.ts'
import { zoomFixture } from './fixtures/zoom.ts'

/** The rows of the table-driven tests: every identity provider of `src/providers`. */
export const fixtures: readonly ProviderFixture[] = [
  googleFixture,
  githubFixture,
  appleFixture,
  microsoftEntraIdFixture,
  facebookFixture,
  discordFixture,
  twitterFixture,
  linkedinFixture,
  slackFixture,
  gitlabFixture,
  spotifyFixture,
  twitchFixture,
  notionFixture,
  atlassianFixture,
  auth0Fixture,
  oktaFixture,
  keycloakFixture,
  cognitoFixture,
  zitadelFixture,
  bitbucketFixture,
  dropboxFixture,
  redditFixture,
  zoomFixture,
  salesforceFixture,
  lineFixture,
  kakaoFixture,
  naverFixture,
  tiktokFixture,
  yandexFixture,
  patreonFixture,
  paypalFixture,
  figmaFixture,
  hubspotFixture,
  linearFixture,
  vercelFixture,
  huggingfaceFixture,
  stravaFixture,
  authentikFixture,
  workosFixture,
  logtoFixture,
  yahooFixture,
  amazonFixture,
]
