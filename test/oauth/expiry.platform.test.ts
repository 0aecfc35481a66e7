import { expect, it } from 'vitest'
import { oauthForget } from '../../subgraphs/identity/oauth/oauth-forget.job.ts'
import { usePlatform } from '../platform.ts'
import { anApp, aPerson, discovered, started, tokensOf, withToken } from './oauth.fixture.ts'

const platform = usePlatform()

it('an access token expires after one hour and is deleted with all expired rows', async () => {
  const owner = await aPerson(platform)
  const config = await discovered(platform.url, await anApp(owner))
  const { access_token } = await tokensOf(platform, config, owner)
  await started(platform, config)
  const codeOf = async (token: string) => {
    const { status, body } = await withToken(platform, token)['accountList']!()
    return status === 200 ? 'OK' : `${status} ${body.code}`
  }
  platform.advanceClock(3_600_000 - 1)
  expect(await codeOf(access_token)).toBe('OK')
  platform.advanceClock(1)
  expect(await codeOf(access_token)).toBe('401 TOKEN_EXPIRED')
  platform.advanceClock(86_400_000 + 1)
  await oauthForget.run(platform.services)
  expect(await codeOf(access_token)).toBe('401 UNAUTHENTICATED')
  expect(await platform.query('select 1 from identity.oauth_grant')).toHaveLength(1)
  platform.advanceClock(30 * 86_400_000)
  await oauthForget.run(platform.services)
  for (const table of ['oauth_token', 'oauth_grant', 'oauth_visit']) {
    expect([table, await platform.query(`select 1 from identity.${table}`)]).toEqual([table, []])
  }
})
