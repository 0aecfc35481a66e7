import { ApolloClient, ApolloLink, gql as apolloGql, HttpLink, InMemoryCache } from '@apollo/client'
import { CombinedGraphQLErrors } from '@apollo/client/errors'
import { GraphQLWsLink } from '@apollo/client/link/subscriptions'
import { OperationTypeNode } from 'graphql'
import { createClient as createSocketClient } from 'graphql-ws'
import { cacheExchange, Client as Urql, fetchExchange, gql, subscriptionExchange } from '@urql/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { usePlatform, type Member } from '../platform.ts'
import { customEventsDocument, publishOne } from './publish.ts'

// The clients run with their defaults; only the address and the credential are given.

const platform = usePlatform()
let member: Member
let owner: Member
let url: string

beforeAll(async () => {
  member = await platform.member()
  owner = await platform.member({ role: 'OWNER' })
  url = `${platform.url}/v1/graphql`
})

const socketClient = () =>
  createSocketClient({
    url: url.replace('http', 'ws'),
    webSocketImpl: WebSocket,
    connectionParams: member.headers,
    retryAttempts: 0,
  })

const accountNamed = async (name: string): Promise<string> =>
  (await member.rest.accountCreate!({ body: { name } })).body.id as string

const readDocument = 'query Read($id: ID!) { account(id: $id) { __typename id name } }'
const renameDocument =
  'mutation Rename($id: ID!, $name: String!) { accountUpdate(id: $id, input: { name: $name }) { __typename id name } }'
const changesDocument =
  'subscription Changes($id: ID!) { recordChanged(object: ACCOUNT, id: $id, after: "0") { type account { id } } }'

describe('@urql/core', () => {
  /** Requests that the client sent, as `METHOD status`. */
  function client(headers: Record<string, string> = member.headers) {
    const sent: string[] = []
    const socket = socketClient()
    const urql = new Urql({
      url,
      exchanges: [
        cacheExchange,
        fetchExchange,
        subscriptionExchange({
          forwardSubscription: ({ query, variables }) => ({
            subscribe: (sink) => ({ unsubscribe: socket.subscribe({ query: query!, variables }, sink as never) }),
          }),
        }),
      ],
      fetchOptions: { headers },
      fetch: async (input, init) => {
        const response = await fetch(input, init)
        sent.push(`${init?.method ?? 'GET'} ${response.status}`)
        return response
      },
    })
    return { urql, sent, close: () => socket.dispose() }
  }

  it('sends queries by GET and mutations by POST with its defaults', async () => {
    const id = await accountNamed('Urql')
    const { urql, sent, close } = client()
    const read = await urql.query(gql(readDocument), { id }).toPromise()
    expect([read.error, read.data]).toEqual([undefined, { account: { __typename: 'Account', id, name: 'Urql' } }])
    const changed = await urql.mutation(gql(renameDocument), { id, name: 'Urql 2' }).toPromise()
    expect([changed.error, changed.data.accountUpdate.name]).toEqual([undefined, 'Urql 2'])
    expect(sent).toEqual(['GET 200', 'POST 200'])
    await close()
  })

  it('reports refusals with their code', async () => {
    const { urql, close } = client({ 'X-API-Key': 'wrong' })
    const { error } = await urql.query(gql('{ accountList { page } }'), {}).toPromise()
    expect(error!.graphQLErrors.map(({ extensions }) => extensions['code'])).toEqual(['API_KEY_INVALID'])
    await close()
  })

  it('subscribes over a websocket', async () => {
    const id = await accountNamed('Watched')
    const { urql, close } = client()
    const received = Promise.withResolvers<unknown>()
    const { unsubscribe } = urql
      .subscription(gql(changesDocument), { id })
      .subscribe(({ data }) => received.resolve(data))
    expect(await received.promise).toMatchObject({ recordChanged: { type: 'account.created', account: { id } } })
    unsubscribe()
    await close()
  })

  it.each(['websocket', 'server-sent events'])('gets custom events over %s', async (protocol) => {
    const type = await publishOne(owner)
    const { urql, close } = client()
    const streaming = new Urql({
      url,
      exchanges: [cacheExchange, fetchExchange],
      fetchSubscriptions: true,
      fetchOptions: { headers: member.headers },
    })
    const received = Promise.withResolvers<unknown>()
    const { unsubscribe } = (protocol === 'websocket' ? urql : streaming)
      .subscription(gql(customEventsDocument), { types: [type] })
      .subscribe(({ data, error }) => received.resolve(data ?? error))
    expect(await received.promise).toMatchObject({ customEvents: { type, data: { level: 7 } } })
    unsubscribe()
    await close()
  })
})

describe('@apollo/client', () => {
  function client(headers: Record<string, string> = member.headers, options: HttpLink.Options = {}) {
    const socket = socketClient()
    const http = new HttpLink({ uri: url, headers, ...options })
    const link = ApolloLink.split(
      ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
      new GraphQLWsLink(socket),
      http,
    )
    return { apollo: new ApolloClient({ link, cache: new InMemoryCache() }), close: () => socket.dispose() }
  }

  it.each([false, true])(
    'reads and changes a record, and its cache has the change; GET for queries: %s',
    async (useGETForQueries) => {
      const id = await accountNamed('Apollo')
      const { apollo, close } = client(member.headers, { useGETForQueries })
      const query = apolloGql(readDocument)
      const read = await apollo.query({ query, variables: { id } })
      expect(read.data).toEqual({ account: { __typename: 'Account', id, name: 'Apollo' } })
      await apollo.mutate({ mutation: apolloGql(renameDocument), variables: { id, name: 'Apollo 2' } })
      const cached = await apollo.query<{ account: { name: string } }>({ query, variables: { id } })
      expect(cached.data!.account.name).toBe('Apollo 2')
      await close()
    },
  )

  it('reports refusals with their code', async () => {
    const { apollo, close } = client({ 'X-API-Key': 'wrong' })
    const refused = await apollo
      .query({ query: apolloGql('{ accountList { page } }') })
      .catch((error: unknown) => error)
    expect(CombinedGraphQLErrors.is(refused)).toBe(true)
    expect((refused as CombinedGraphQLErrors).errors[0]!.extensions!['code']).toBe('API_KEY_INVALID')
    await close()
  })

  it('subscribes over a websocket', async () => {
    const id = await accountNamed('Watched')
    const { apollo, close } = client()
    const received = Promise.withResolvers<unknown>()
    const subscription = apollo
      .subscribe({ query: apolloGql(changesDocument), variables: { id } })
      .subscribe(({ data }) => received.resolve(data))
    expect(await received.promise).toMatchObject({ recordChanged: { type: 'account.created', account: { id } } })
    subscription.unsubscribe()
    await close()
  })

  it('gets custom events over a websocket', async () => {
    const type = await publishOne(owner)
    const { apollo, close } = client()
    const received = Promise.withResolvers<unknown>()
    const subscription = apollo
      .subscribe({ query: apolloGql(customEventsDocument), variables: { types: [type] } })
      .subscribe(({ data, error }) => received.resolve(data ?? error))
    expect(await received.promise).toMatchObject({ customEvents: { type, data: { level: 7 } } })
    subscription.unsubscribe()
    await close()
  })
})

describe('graphql-ws', () => {
  it('runs queries, mutations and subscriptions on one connection', async () => {
    const id = await accountNamed('Socket')
    const client = socketClient()
    const one = async (query: string, variables: Record<string, unknown>) =>
      (await client.iterate({ query, variables }).next()).value
    expect(await one(readDocument, { id })).toEqual({
      data: { account: { __typename: 'Account', id, name: 'Socket' } },
    })
    const events = client.iterate({ query: changesDocument, variables: { id } })
    expect((await events.next()).value).toMatchObject({
      data: { recordChanged: { type: 'account.created', account: { id } } },
    })
    await events.return!()
    const changed = await one(renameDocument, { id, name: 'Socket 2' })
    expect(changed).toEqual({ data: { accountUpdate: { __typename: 'Account', id, name: 'Socket 2' } } })
    await client.dispose()
  })
})
