// A board of deals as a front-end developer writes it with @apollo/client and graphql-ws. `location.hash` has the address of the API and a key.
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache, Observable } from '@apollo/client'
import { GraphQLWsLink } from '@apollo/client/link/subscriptions'
import { createClient } from 'graphql-ws'

const { url, key } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)))
const headers = { 'X-API-Key': key }
const element = (id) => document.getElementById(id)

const Board = gql`
  query Board {
    opportunityBoard(perStage: 50) {
      columns {
        stage {
          name
          label
        }
        count
        opportunities {
          id
          version
          name
          stage
          account {
            id
            name
          }
          owner {
            id
            name
          }
        }
      }
    }
  }
`
const EventCursor = gql`
  query EventCursor {
    viewer {
      eventCursor
    }
  }
`
const Changes = gql`
  subscription Changes($after: String) {
    recordChanged(objects: [OPPORTUNITY, ACCOUNT], after: $after) {
      cursor
      type
      recordId
      opportunity {
        id
        version
        name
        stage
      }
      account {
        id
        name
      }
    }
  }
`
const Move = gql`
  mutation Move($id: ID!, $stage: String!, $version: Int!) {
    opportunityUpdate(id: $id, input: { stage: $stage }, expectedVersion: $version) {
      id
      version
      stage
    }
  }
`

const show = (state) => (element('connection').textContent = state)
const online = () =>
  navigator.onLine ? undefined : new Promise((resolve) => addEventListener('online', resolve, { once: true }))
const socket = createClient({
  url: url.replace('http', 'ws'),
  connectionParams: headers,
  retryAttempts: Infinity,
  // Also when a connection is refused, which is no close event.
  shouldRetry: () => true,
  retryWait: async (retries) => {
    await online()
    await new Promise((resolve) => setTimeout(resolve, Math.min(200 * retries, 2000)))
  },
  on: {
    connected: () => show('connected'),
    closed: () => show(navigator.onLine ? 'closed' : 'offline'),
  },
})
// A network that is gone does not close a connection at once.
addEventListener('offline', () => socket.terminate())

/** graphql-ws sends the variables again when it has connected again; `after` is then the last event that the page has. */
const resuming = new ApolloLink((operation, forward) => {
  const results = forward(operation)
  return new Observable((observer) =>
    results.subscribe({
      next(result) {
        operation.variables.after = result.data?.recordChanged.cursor ?? operation.variables.after
        observer.next(result)
      },
      error: (error) => observer.error(error),
      complete: () => observer.complete(),
    }),
  )
})

const cache = new InMemoryCache()
const client = new ApolloClient({
  cache,
  link: ApolloLink.split(
    ({ operationType }) => operationType === 'subscription',
    ApolloLink.from([resuming, new GraphQLWsLink(socket)]),
    new HttpLink({ uri: url, headers }),
  ),
})

/** Reads the board again; a change during a read needs one more. */
let reads = null
let isStale = false
function load() {
  isStale = true
  reads ??= (async () => {
    while (isStale) {
      isStale = false
      await client.query({ query: Board, fetchPolicy: 'network-only' }).catch((error) => {
        console.warn(error.message)
      })
    }
  })().finally(() => (reads = null))
  return reads
}

let picked = null
function cardOf(deal) {
  const card = document.createElement('article')
  card.dataset.id = deal.id
  card.innerHTML = '<h3></h3><p></p><button>Pick up</button>'
  card.querySelector('h3').textContent = deal.name
  card.querySelector('p').textContent = `${deal.account?.name ?? ''} (${deal.owner?.name ?? ''})`
  card.querySelector('button').onclick = () => {
    picked = deal
    element('picked').textContent = deal.name
  }
  return card
}

async function drop(stage) {
  const { id, version, name } = picked
  picked = null
  element('picked').textContent = ''
  element('problem').textContent = ''
  try {
    await client.mutate({ mutation: Move, variables: { id, version, stage } })
  } catch (error) {
    const isConflict = error.errors?.some(({ extensions }) => extensions.code === 'VERSION_CONFLICT')
    element('problem').textContent = isConflict ? `${name} was changed meanwhile.` : error.message
  }
  await load()
}

function render({ opportunityBoard }) {
  element('board').replaceChildren(
    ...opportunityBoard.columns.map(({ stage, count, opportunities }) => {
      const column = document.createElement('section')
      column.dataset.stage = stage.name
      column.innerHTML = '<h2></h2><button>Drop here</button>'
      column.querySelector('h2').textContent = `${stage.label}: ${count}`
      column.querySelector('button').onclick = () => drop(stage.name)
      column.append(...opportunities.map(cardOf))
      return column
    }),
  )
}

function follow(after) {
  client.subscribe({ query: Changes, variables: { after } }).subscribe({
    next({ data, error }) {
      if (error) return show(error.message)
      const { cursor, type, recordId, opportunity } = data.recordChanged
      const entry = document.createElement('li')
      entry.textContent = `${cursor} ${type} ${recordId}`
      element('log').append(entry)
      // What is gone needs no read; the lists of the cache drop what is no longer in it.
      if (type.startsWith('opportunity.') && !opportunity)
        cache.evict({ id: cache.identify({ __typename: 'Opportunity', id: recordId }) })
      void load()
    },
    error: (error) => show(error.message),
  })
}
client.watchQuery({ query: Board, fetchPolicy: 'cache-only' }).subscribe({
  next({ data, dataState }) {
    if (dataState === 'complete') render(data)
  },
})

/** The cursor is asked for before the first read, so that the subscription sends what happens between that read and its begin. */
async function begin() {
  const { data } = await client.query({ query: EventCursor })
  await load()
  follow(data.viewer.eventCursor)
}
begin().catch((error) => show(error.message))
