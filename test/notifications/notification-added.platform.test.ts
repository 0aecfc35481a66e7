import { describe, expect, it } from 'vitest'
import { deactivateUser } from '../../subgraphs/identity/public.ts'
import { protocols } from '../live.ts'
import { usePlatform, type Member } from '../platform.ts'
import { notify } from './notify.ts'

const platform = usePlatform()

const added = `subscription ($after: String) {
  notificationAdded(after: $after) { cursor unreadCount notification { eventKey title record { task { subject } } } }
}`

async function aPair() {
  const organizationId = await platform.organization()
  const actor = await platform.member({ organizationId })
  const recipient = await platform.member({ organizationId })
  const assign = async (subject: string, to: Member = recipient) => {
    await actor.rest.taskCreate!({ body: { subject, assignedToId: to.userId } })
    await notify(platform, organizationId)
  }
  return { organizationId, actor, recipient, assign }
}

const payload = (subject: string, unreadCount: number) => ({
  data: {
    notificationAdded: {
      cursor: expect.stringMatching(/^\d+$/) as string,
      unreadCount,
      notification: {
        eventKey: 'task.assigned',
        title: `A task was assigned to you: ${subject}`,
        record: { task: { subject } },
      },
    },
  },
})

describe.each(protocols)('notificationAdded over %s', (_protocol, subscribe) => {
  it("sends the caller's own new notifications in order, with the number of unread ones", async () => {
    const { actor, recipient, assign } = await aPair()
    await assign('Before')
    const live = await subscribe(platform, recipient, added, { after: '0' })
    // It is live when it has sent what was added before.
    expect(await live.next()).toEqual(payload('Before', 1))
    await assign('Other', actor)
    await assign('One')
    expect(await live.next()).toEqual(payload('One', 2))
    await assign('Two')
    expect(await live.next()).toEqual(payload('Two', 3))
  })

  it('continues after a cursor', async () => {
    const { recipient, assign } = await aPair()
    for (const subject of ['One', 'Two', 'Three']) await assign(subject)
    const first = await subscribe(platform, recipient, added, { after: '0' })
    const one = (await first.next()) as ReturnType<typeof payload>
    expect(one).toEqual(payload('One', 3))
    first.leave()
    const live = await subscribe(platform, recipient, added, { after: one.data.notificationAdded.cursor })
    expect([await live.next(), await live.next()]).toEqual([payload('Two', 3), payload('Three', 3)])
  })

  it('refuses a cursor that is none', async () => {
    const { recipient } = await aPair()
    const live = await subscribe(platform, recipient, added, { after: 'yesterday' })
    expect(await live.next()).toMatchObject({ errors: [{ extensions: { code: 'VALIDATION_FAILED' } }] })
  })

  it('ends when the user is deactivated', async () => {
    const { organizationId, recipient, assign } = await aPair()
    await assign('One')
    const live = await subscribe(platform, recipient, added, { after: '0' })
    expect(await live.next()).toEqual(payload('One', 1))
    await deactivateUser(platform.services, organizationId, recipient.userId)
    // Over a websocket, the connection of a refused credential may close first.
    const ended = await live.next()
    if (ended !== 'closed')
      expect(ended).toMatchObject({ errors: [{ extensions: { code: 'API_KEY_OWNER_INACTIVE' } }] })
  })
})
