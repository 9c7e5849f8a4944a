import {
  authorizationServer,
  clientDocuments,
  deviceFlow,
  dynamicRegistration,
  introspection,
  openId,
  openIdLogout,
  privateKeyJwt,
  storedClients,
} from '@latchkey/authorization-server'
import { createWorker } from './create-worker.ts'
import type { Worker } from './create-worker.ts'
import { resources } from './resources.ts'

const worker: Worker = createWorker(
  authorizationServer({
    resources,
    clientMetadata: clientDocuments({ fetch }),
    device: deviceFlow(),
    registration: dynamicRegistration(),
    introspection: introspection(),
    openid: openId({ logout: openIdLogout() }),
    assertions: privateKeyJwt(),
    storedClients: storedClients(),
  }),
)

// oxlint-disable-next-line import/no-default-export -- workerd takes the handlers from the default export
export { worker as default }
