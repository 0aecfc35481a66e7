import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client'
import { CombinedGraphQLErrors, CombinedProtocolErrors } from '@apollo/client/errors'
import { describe, expect, it } from 'vitest'
import { deactivateUser } from '../../subgraphs/identity/public.ts'
import { account } from '../builders.ts'
import { notify } from '../notifications/notify.ts'
import { usePlatform, type Member } from '../platform.ts'
import { customEventsDocument, publishOne } from './publish.ts'

const platform = usePlatform()

/** What a client without a websocket receives, in order: the data of each result, or an error. Its link has the defaults. */
function subscribed(headers: Record<string, string>, document: string, variables: Record<string, unknown> = {}) {
  const responses: Response[] = []
  const link = new HttpLink({
    uri: `${platform.url}/v1/graphql`,
    headers,
    fetch: async (input, init) => {
      const response = await fetch(input, init)
      responses.push(response)
      return response
    },
  })
  const apollo = new ApolloClient({ link, cache: new InMemoryCache() })
  const received: unknown[] = []
  let news = Promise.withResolvers<void>()
  const add = (value: unknown): void => {
    received.push(value)
    news.resolve()
  }
  const subscription = apollo.subscribe({ query: gql(document), variables, fetchPolicy: 'no-cache' }).subscribe({
    next: ({ data, error }) => add(error ?? data),
    error: add,
    complete: () => add('complete'),
  })
  const next = async (): Promise<unknown> => {
    while (received.length === 0) {
      await news.promise
      news = Promise.withResolvers()
    }
    return received.shift()
  }
  return { next, responses, leave: () => subscription.unsubscribe() }
}

const changes =
  'subscription ($id: ID!) { recordChanged(object: ACCOUNT, id: $id, after: "0") { type account { name } } }'

const changed = (type: string, name: string): object => ({
  recordChanged: { __typename: 'RecordChange', type, account: { __typename: 'Account', name } },
})

async function rename(member: Member, id: string, name: string): Promise<void> {
  expect((await member.rest.accountUpdate!({ id, body: { name } })).status).toBe(200)
}

describe('@apollo/client with its default link', () => {
  it('gets each change of a record at once, as multipart/mixed', async () => {
    const member = await platform.member()
    const { id } = await account(member, { name: 'Acme' })
    const { next, responses, leave } = subscribed(member.headers, changes, { id })
    expect(await next()).toEqual(changed('account.created', 'Acme'))
    for (const name of ['One', 'Two']) {
      await rename(member, id, name)
      expect(await next()).toEqual(changed('account.updated', name))
    }
    expect(Object.fromEntries(responses[0]!.headers)).toMatchObject({
      'content-type': 'multipart/mixed; boundary="graphql"; subscriptionSpec=1.0',
      'cache-control': 'no-store, no-transform',
    })
    leave()
  })

  it('gets custom events', async () => {
    const type = await publishOne(await platform.member({ role: 'OWNER' }))
    const { next, leave } = subscribed((await platform.member()).headers, customEventsDocument, { types: [type] })
    expect(await next()).toMatchObject({ customEvents: { type, data: { level: 7 } } })
    leave()
  })

  it('gets notifications', async () => {
    const organizationId = await platform.organization()
    const actor = await platform.member({ organizationId })
    const recipient = await platform.member({ organizationId })
    const document = 'subscription { notificationAdded(after: "0") { unreadCount notification { title } } }'
    const { next, leave } = subscribed(recipient.headers, document)
    await actor.rest.taskCreate!({ body: { subject: 'Call', assignedToId: recipient.userId } })
    await notify(platform, organizationId)
    expect(await next()).toMatchObject({
      notificationAdded: { unreadCount: 1, notification: { title: 'A task was assigned to you: Call' } },
    })
    leave()
  })

  it('is told why a subscription is refused, and why it ends', async () => {
    const organizationId = await platform.organization()
    const member = await platform.member({ organizationId })
    const missing = subscribed(member.headers, changes, { id: '0199d1a0-0000-7000-8000-000000000000' })
    const refusal = (await missing.next()) as CombinedGraphQLErrors
    expect(CombinedGraphQLErrors.is(refusal)).toBe(true)
    expect(refusal.errors[0]!.extensions!['code']).toBe('NOT_FOUND')

    const { id } = await account(member, { name: 'Acme' })
    const { next, responses } = subscribed(member.headers, changes, { id })
    expect(await next()).toEqual(changed('account.created', 'Acme'))
    await deactivateUser(platform.services, organizationId, member.userId)
    const ended = (await next()) as CombinedProtocolErrors
    expect(CombinedProtocolErrors.is(ended)).toBe(true)
    expect(ended.errors[0]!.extensions!['code']).toBe('API_KEY_OWNER_INACTIVE')
    expect(responses.map(({ status }) => status)).toEqual([200])
  })
})
