import { keyField } from './key.js'
import { exampleTabs } from './queries.js'

const { ruru, graphqlWs } = document.body.dataset
const endpoint = location.pathname
const hint = document.querySelector('.hint')

globalThis.MonacoEnvironment = {
  getWorker(_, label) {
    const file = { json: 'jsonWorker.js', graphql: 'graphqlWorker.js' }[label] ?? 'editorWorker.js'
    return new Worker(`${ruru}/${file}`, { type: 'module' })
  },
}

async function post(body, headers) {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/graphql-response+json, application/json',
      ...headers,
    },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  try {
    return JSON.parse(text)
  } catch {
    return { errors: [{ message: `The server answered ${response.status} without a GraphQL result.` }] }
  }
}

const operationType = (document, name) =>
  document?.definitions.find((node) => node.kind === 'OperationDefinition' && (!name || node.name?.value === name))
    ?.operation

async function* subscribe(params, headers) {
  const { createClient } = await import(`${graphqlWs}/client.js`)
  const url = new URL(endpoint, location.href)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  // A browser cannot set headers on a websocket, so they are sent in connection_init.
  const client = createClient({ url: url.href, connectionParams: headers, retryAttempts: 0 })
  try {
    yield* client.iterate(params)
  } catch (error) {
    if (!(error instanceof CloseEvent)) throw error
    throw new Error(`The live connection was closed: ${error.reason || `code ${error.code}`}.`)
  } finally {
    await client.dispose()
  }
}

/** Removes the operation name if the text does not contain it: after a change of tab the editor still sends the name of the previous tab. */
function withoutStaleName({ operationName, ...params }) {
  return operationName && params.query.includes(operationName) ? { ...params, operationName } : params
}

/** A credential in the headers panel takes precedence over the key of the bar, so a session token can be used as well. */
function fetcherWith(checked) {
  return async (params, { headers: panelHeaders = {}, documentAST } = {}) => {
    // The user may run a query before the typed key has been checked.
    const key = document.querySelector('#api-key').value.trim() || checked
    const hasOwnCredential = Object.keys(panelHeaders).some((name) =>
      ['x-api-key', 'authorization'].includes(name.toLowerCase()),
    )
    if (!key && !hasOwnCredential) {
      document.querySelector('#api-key').focus()
      return { hint: 'Paste an API key into the bar at the top, then run this again.' }
    }
    const headers = hasOwnCredential ? panelHeaders : { 'X-API-Key': key, ...panelHeaders }
    const request = withoutStaleName(params)
    if (operationType(documentAST, request.operationName) === 'subscription') return subscribe(request, headers)
    return post(request, headers)
  }
}

const { React, createRoot, Ruru } = await import(`${ruru}/ruru.js`)
const root = createRoot(document.querySelector('#explorer'))

function render(key, isAccepted) {
  root.render(
    React.createElement(Ruru, {
      fetcher: fetcherWith(key),
      // Null disables introspection, which needs a credential.
      schema: isAccepted ? undefined : null,
      defaultTabs: exampleTabs,
      defaultQuery: '',
      defaultEditorToolsVisibility: 'variables',
      showPersistHeadersSettings: false,
    }),
  )
}

await keyField((key, state) => {
  hint.hidden = state !== 'missing'
  render(key, state === 'accepted')
})
