import { expect, test } from 'vitest'
import { createKeys } from '../src/crypto/seal.ts'

const secrets = ['a secret of thirty-two bytes or more']
/** Seconds since 1970: in the year 2100. */
const expires = 4_102_444_800

/** What a service has sealed before: its header, and the rest for each purpose. */
const header = 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoiOVpmUE5HZlcifQ..'
const sealed = {
  step: 'AAAAAAAAAAAAAAAA.CdTEuCHFybK8XibCMFi-teQMB6BwjqU2UMpmayMqhbw.BRSistn8nxZFpWqT9oB9fQ',
  session:
    'AAAAAAAAAAAAAAAA.FuK0T5YDLKo6AxYur0FFIZ9yjVRbA-5TfwprcGHCY5F8rT4.vNX3Djs6owgWddH3xUfqow',
  flow: 'AAAAAAAAAAAAAAAA.NxWQqQmLOSFqS4hhbcbLNiZ1KBP90v_ABJtTxtPKus4._bCB59E068OjQq7neDZiNg',
  return: 'AAAAAAAAAAAAAAAA.HcLSEXRXuhPpc_9ykp6Xy1qo8OA_IV-oh54bhKtYkQOKZw.buCXTU0m-e3C9HRVadeoIw',
  known: 'AAAAAAAAAAAAAAAA.xTo3f1mnpcxOtEmezot091uQK4oAk49_nhKCWsfjY6UN.4YAXqVFOgH_0eueWEDf1Tw',
  second: 'AAAAAAAAAAAAAAAA.7mxGeT_6xmYt0e2lqYX0LfTGpHLdSjmiMy1oqS_MFNldDw.ffdnUGw_ozsGYpQxYeWJBg',
  factor: 'AAAAAAAAAAAAAAAA.9IshFX2yowyNR1hslOds6TX0CujeNKF1Ynepw5LWWaOhmQ.1Mm__rYPP5spqzrsHv0riQ',
  endSessions:
    'AAAAAAAAAAAAAAAA.OWbdeSlISwQiIWIK83FBwD_K76FrbglWpnwAmQPgZM-L0Y4IOtrI.UtSMpibQQTIvymwPfpp0yA',
  terms: 'AAAAAAAAAAAAAAAA.DJEFqpSmoz0jyYBbuhN8UneZR7hDocJsZGrrTIH4TeDx.K07N7cSh5fXKmUEgXELNxA',
  logout: 'AAAAAAAAAAAAAAAA.6BS8VH_fy1-afxbFquO8buen31fCrvafL-gJADEXfotayQ.zEdAeZKqb24qU1bq5DfMtw',
}
/** What a service has signed before, for each purpose. */
const signed = {
  csrf: 'Ojx9ggbYyHQfPDcx1Jf-dPFw7ndzg4Pb2XPk5AkOV2I',
  import: '9HcAW3amhMODkHkxc7N5wRPhAN2SKlHcoEpDYkRCZko',
  token: '6DzV63dNV5He3IifaXPCZ6tbDeaIv_r7iJYpMD7pVd8',
  rules: 'DRFmyvCYVh3cthF_x56zWB00paVpsLWALTgAS9j58N0',
  document: 'dmgSGK9bfMAtl5jxrrqbbdcIUMzdsbPe4wS-aCcCiy0',
}

test('the keys of a secret are the same in every release (I-13)', async () => {
  const { ofCapability, signerOf, ...own } = createKeys(secrets, (length) => new Uint8Array(length))
  const keys = { ...own, terms: ofCapability('terms'), rules: signerOf('rules') }
  const made: Record<string, string> = {}
  for (const [name, key] of Object.entries(keys)) {
    made[name] = 'seal' in key ? await key.seal({ name }, expires) : await key.sign(name)
  }
  const before = Object.entries(sealed).map(([name, text]) => [name, header + text])
  expect(made).toEqual({ ...Object.fromEntries(before), ...signed })
})
