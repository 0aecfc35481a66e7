import { expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { newDirectory } from '../directory.ts'
import { mailsTo } from '../mailbox.ts'
import { usePlatform } from '../platform.ts'
import { restClient } from '../rest-client.ts'

const platform = usePlatform()
const anonymous = () => restClient(platform.contract, platform.url, {})

it('a name that a person sets elsewhere does not appear in an organization with its own name for the person', async () => {
  const { admin, organizationId, scim } = await newDirectory(platform)
  const email = `p${newId()}@example.com`
  const password = 'Correct horse 7!'
  await anonymous().authRegister!({ body: { email, password, firstName: 'Real', lastName: 'Elsewhere' } })
  const { id } = (await scim('POST', '/Users', { userName: email, displayName: 'Ours' })).body

  const assignees = (await admin.caseAssignees!()).body as { id: string; name: string }[]
  expect(assignees.find((user) => user.id === id)?.name).toBe('Ours')

  await anonymous().authForgotPassword!({ body: { email } })
  const { secret: code } = (await mailsTo(platform, email)).at(-1)!
  await anonymous().authResetPassword!({ body: { email, code, newPassword: password } })
  const session = (await anonymous().authLogin!({ body: { email, password, organizationId } })).body
  const own = restClient(platform.contract, platform.url, { Authorization: `Bearer ${session.accessToken}` })
  await own.authUpdateProfile!({ body: { firstName: 'Realer', timezone: 'Europe/Berlin' } })
  expect((await platform.eventsOf(id)).at(-1)).toMatchObject({
    type: 'user.updated',
    data: { changedFields: ['timezone'], record: { name: 'Ours', timezone: 'Europe/Berlin' } },
  })
  await platform.settled()
  const { byCredential } = (await admin.apiUsageSummary!()).body as { byCredential: { name: string }[] }
  expect(byCredential.map(({ name }) => name)).toContain('Ours')
  const seen = [
    await platform.eventsOf(id),
    byCredential,
    (await admin.auditLogEntryList!({ query: { targetId: id, limit: 100 } })).body,
  ]
  expect(JSON.stringify(seen)).not.toMatch(/Elsewhere|Realer/)
})
