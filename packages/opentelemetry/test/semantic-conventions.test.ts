import {
  ATTR_DB_OPERATION_NAME,
  ATTR_DB_SYSTEM_NAME,
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_HTTP_ROUTE,
  ATTR_SERVER_ADDRESS,
  ATTR_SERVER_PORT,
  ATTR_URL_PATH,
  ATTR_URL_SCHEME,
  DB_SYSTEM_NAME_VALUE_MARIADB,
  DB_SYSTEM_NAME_VALUE_MYSQL,
  DB_SYSTEM_NAME_VALUE_POSTGRESQL,
  METRIC_DB_CLIENT_OPERATION_DURATION,
  METRIC_HTTP_CLIENT_REQUEST_DURATION,
  METRIC_HTTP_SERVER_REQUEST_DURATION,
} from '@opentelemetry/semantic-conventions'
import { signInAtIssuer } from '@latchkey/testing'
import { expect, test } from 'vitest'
import { names, ownNames } from '../src/attributes.ts'
import { registerSdk } from './support/sdk.ts'
import { serve } from './support/service.ts'

test('names of attributes come from the semantic conventions, or begin with latchkey', () => {
  expect(names).toEqual({
    requestMethod: ATTR_HTTP_REQUEST_METHOD,
    route: ATTR_HTTP_ROUTE,
    statusCode: ATTR_HTTP_RESPONSE_STATUS_CODE,
    urlScheme: ATTR_URL_SCHEME,
    urlPath: ATTR_URL_PATH,
    serverAddress: ATTR_SERVER_ADDRESS,
    serverPort: ATTR_SERVER_PORT,
    errorType: ATTR_ERROR_TYPE,
    dbOperation: ATTR_DB_OPERATION_NAME,
    dbSystem: ATTR_DB_SYSTEM_NAME,
  })
  for (const name of Object.values(ownNames)) expect(name).toMatch(/^latchkey(\.[a-z_]+)+$/)
  const systems = [
    DB_SYSTEM_NAME_VALUE_POSTGRESQL,
    DB_SYSTEM_NAME_VALUE_MYSQL,
    DB_SYSTEM_NAME_VALUE_MARIADB,
  ]
  expect(systems).toEqual(['postgresql', 'mysql', 'mariadb'])
})

test.each([
  METRIC_HTTP_SERVER_REQUEST_DURATION,
  METRIC_HTTP_CLIENT_REQUEST_DURATION,
  METRIC_DB_CLIENT_OPERATION_DURATION,
])('%s is measured', async (metric) => {
  const sdk = registerSdk()
  const { browser, issuer } = serve()
  await signInAtIssuer(browser, issuer)
  expect(await sdk.measure(metric)).not.toEqual([])
})
