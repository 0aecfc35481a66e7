import { keyField } from './key.js'

// The bundle calls `new Function('')` to find out whether it may compile validators. The Content-Security-Policy forbids this, and
// the browser would report a violation. This proxy throws the same kind of error without a report.
globalThis.Function = new Proxy(Function, {
  construct() {
    throw new EvalError('Code from strings is not allowed on this page.')
  },
})

const apiKeyHeader = (document) =>
  Object.entries(document.components?.securitySchemes ?? {}).find(
    ([, scheme]) => scheme.type === 'apiKey' && scheme.in === 'header' && scheme.name.toLowerCase() === 'x-api-key',
  )?.[0]

function load(src) {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = src
    script.onload = resolve
    script.onerror = () => reject(new Error(`${src} could not be loaded.`))
    document.head.append(script)
  })
}

/** The document without the paths that repeat others, which its text names; a reader finds each operation once. */
function withoutAliases(document) {
  const aliases = new Map(
    (document.tags ?? []).flatMap((tag) => (tag['x-alias-of'] ? [[tag.name, tag['x-alias-of']]] : [])),
  )
  const isShown = ({ tags }) => !tags?.some((tag) => aliases.has(tag))
  const shownIn = (item) => Object.entries(item).filter(([, part]) => !part.operationId || isShown(part))
  const hasOperation = (item) => shownIn(item).some(([, part]) => part.operationId)
  const paths = Object.entries(document.paths).filter(([, item]) => hasOperation(item))
  return {
    ...document,
    tags: document.tags?.filter(({ name }) => !aliases.has(name)),
    'x-tagGroups': document['x-tagGroups']?.filter(({ tags }) => !tags.every((tag) => aliases.has(tag))),
    paths: Object.fromEntries(paths.map(([path, item]) => [path, Object.fromEntries(shownIn(item))])),
  }
}

const [openapi] = await Promise.all([
  fetch('/openapi.json')
    .then((response) => response.json())
    .then(withoutAliases),
  load(`${document.body.dataset.scalar}/standalone.js`),
])
const scheme = apiKeyHeader(openapi)

const configuration = (key) => ({
  content: openapi,
  // Requests go to the server of this page, also if the document names another server, and never through a proxy.
  servers: [{ url: location.origin }],
  proxyUrl: '',
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  withDefaultFonts: false,
  showDeveloperTools: 'never',
  hideClientButton: true,
  theme: 'default',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  metaData: { title: document.title },
  authentication: scheme && { preferredSecurityScheme: scheme, securitySchemes: { [scheme]: { value: key } } },
})

let reference = null
await keyField((key) => {
  if (reference) reference.updateConfiguration(configuration(key))
  else reference = globalThis.Scalar.createApiReference('#reference', configuration(key))
})
