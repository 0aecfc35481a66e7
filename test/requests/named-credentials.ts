import { newId } from '../../subgraphs/kernel/ids.ts'
import type { Sender } from './sender.ts'

let credentials = 0

const needed = () => ({ label: 'ERP', baseUrl: 'https://erp.example.com/api', authType: 'BEARER' })

const rest = ({ member }: Sender) => ({
  description: 'Reads stock.',
  headerName: 'X-Erp-Key',
  username: 'crm',
  tokenUrl: 'https://login.example.com/token',
  clientId: 'crm',
  scopes: ['stock.read'],
  staticHeaders: { 'X-Tenant': 'emea' },
  timeoutMs: 5000,
  isActive: true,
  ownerId: member.userId,
  tags: ['erp'],
})

export const credentialBodies = {
  namedCredentialCreate: (requests: Sender, whole: boolean) =>
    Promise.resolve({
      apiName: `c_${++credentials}_${newId().slice(-8)}`,
      ...needed(),
      ...(whole && rest(requests)),
    }),
  namedCredentialUpdate: (requests: Sender, whole: boolean) =>
    Promise.resolve(whole ? { ...needed(), ...rest(requests) } : {}),
  namedCredentialSetSecret: () => Promise.resolve({ secret: `secret-${newId()}` }),
}

/** URLs, names of headers and scopes have forms of their own, and a way to authenticate needs fields of its own. */
export const credentialsWithForms = ['namedCredentialCreate', 'namedCredentialSetSecret', 'namedCredentialUpdate']
