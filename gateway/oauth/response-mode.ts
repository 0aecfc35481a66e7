import type * as Oidc from 'oidc-provider'
import type { Provider } from 'oidc-provider'

interface ResponseModes {
  responseModeAllowed: () => boolean
}

/**
 * Authorization responses are sent in the query, as the metadata says. The package also supports fragment and form_post, which
 * cannot be switched off; a request for one of them is refused, and the refusal is sent in the query.
 */
export function allowOnlyQueryResponses(oidc: typeof Oidc, provider: Provider): void {
  const clients = provider.Client.prototype as unknown as ResponseModes
  clients.responseModeAllowed = () => {
    const params = oidc.Provider.ctx?.oidc.params
    if (!params || params['response_mode'] === undefined || params['response_mode'] === 'query') return true
    delete params['response_mode']
    return false
  }
}
