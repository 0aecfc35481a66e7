import { newSession } from '../../../test/requests/session.ts'
import { noUserId, type Caller } from '../../kernel/context.ts'
import { newId } from '../../kernel/ids.ts'
import { systemContext } from '../../kernel/request.ts'
import { setRate } from '../currency/currency.actions.ts'
import { createOAuthApp } from '../oauth/oauth-app.actions.ts'
import { claimsOf, goodPassword, type IdentityWorld } from '../identity.fixture.ts'
import { issueToken, type Purpose } from '../one-time-token/one-time-token.ts'
import { issueCode } from '../one-time-token/reset-code.ts'
import { createApiKey, createTeam, oauthService } from '../public.ts'

export interface Call {
  /** Arguments and selection. */
  readonly text: string
  readonly variables: object
  readonly caller: Caller
}

export type Prepare = (scenario: Scenario) => Promise<Partial<Call> | string> | Partial<Call> | string

/** An organization with a signed-in owner. */
export class Scenario {
  readonly organizationId: string
  readonly newEmail = `new-${newId()}@example.com`

  constructor(
    readonly world: IdentityWorld,
    readonly caller: Caller,
    readonly refreshToken: string,
    readonly email: string,
    readonly personId: string,
  ) {
    this.organizationId = caller.organizationId
  }

  get ctx() {
    return systemContext(this.world.services, this.organizationId)
  }

  async directory(): Promise<Caller> {
    await this.run('mutation { scimTokenRotate { prefix } }')
    const [token] = await this.world.query<{ id: string }>(
      'select id from identity.scim_token where organization_id = $1',
      [this.organizationId],
    )
    return { ...this.caller, kind: 'SCIM', userId: noUserId, role: 'ADMIN', credentialId: token!.id }
  }

  /** Runs a GraphQL operation to prepare the mutation. */
  async run(document: string, variables: object = {}, caller = this.caller) {
    const { data, codes } = await this.world.run(document, variables, caller)
    if (codes.length > 0) throw new Error(`${document}: ${codes.join()}`)
    return data
  }

  member = async (): Promise<string> => (await this.world.aUser(this.organizationId)).id
  team = async (memberIds: string[] = []): Promise<string> =>
    (await createTeam(this.world.services, this.organizationId, { name: 'Sales', memberIds })).id

  async rate(): Promise<string> {
    const wanted = { currency: 'EUR', date: '2026-11-01', rate: 1.08 }
    return (await setRate(systemContext(this.world.services, this.organizationId), wanted)).id
  }

  async key(): Promise<string> {
    const wanted = { ownerId: this.caller.userId, name: 'Sync', scopes: ['READ_CASES'] }
    return (await createApiKey(this.world.services, this.organizationId, wanted)).id
  }

  async profile(): Promise<string> {
    const made = await this.run('mutation { accessProfileCreate(input: {name: "Few"}) { id } }')
    return String(made['accessProfileCreate']!['id'])
  }

  async developerOrg(): Promise<string> {
    const made = await this.run('mutation { developerOrgCreate(input: {name: "Sandbox"}) { id } }')
    return String(made['developerOrgCreate']!['id'])
  }

  async app(): Promise<string> {
    const wanted = { name: 'App', scopes: ['READ_CASES'], redirectUris: ['https://app.example.com/back'] }
    return (await createOAuthApp({ ...this.ctx, caller: this.caller }, wanted)).id
  }

  async connectedApp(): Promise<string> {
    const { organizationId } = this
    const { userId } = this.caller
    const grant = { id: newId(), appId: await this.app(), organizationId, userId, scopes: ['READ_CASES'] }
    const given = { ...grant, lifeSeconds: 3600, signInGeneration: 0 }
    await oauthService(this.world.services).consent({ ip: '', userAgent: '' }, given)
    const [row] = await this.world.query<{ id: string }>(
      'select id from identity.oauth_installation where organization_id = $1',
      [organizationId],
    )
    return row!.id
  }

  async invited(): Promise<string> {
    const made = await this.run('mutation($email: String!) { userInvite(input: {email: $email}) { id } }', {
      email: this.newEmail,
    })
    return String(made['userInvite']!['id'])
  }

  async mailed(purpose: Purpose, data: object = {}, email = this.email): Promise<string> {
    const [person] = await this.world.query<{ id: string }>('select id from identity.person where email = $1', [email])
    const subject = { email, personId: person!.id, organizationId: this.organizationId, data: { ...data } }
    return (await issueToken(this.ctx, purpose, subject)).token
  }

  async code(): Promise<string> {
    return (await issueCode(this.ctx, { email: this.email, personId: this.personId })).code
  }

  /** The `state` of a started connection to the meeting provider. */
  async connectionState(): Promise<string> {
    const begun = await this.run('mutation { meetingConnect(provider: "zoom") { authorizationUrl } }')
    return new URL(String(begun['meetingConnect']!['authorizationUrl'])).searchParams.get('state')!
  }

  async connectMeeting(): Promise<void> {
    const state = await this.connectionState()
    await this.run(`mutation { authMeetingCallback(provider: "zoom", code: "c", state: "${state}") { provider } }`)
  }
}

export async function aScenario(world: IdentityWorld): Promise<Scenario> {
  const { id: organizationId } = await world.anOrganization()
  const email = `owner-${newId()}@example.com`
  const { id: userId } = await world.aUser(organizationId, { email, role: 'OWNER', password: goodPassword })
  const { accessToken, refreshToken } = await newSession(world as never, { organizationId, userId })
  const [person] = await world.query<{ id: string }>('select id from identity.person where email = $1', [email])
  const caller = await world.callerOf(String(claimsOf(accessToken)['sid']))
  return new Scenario(world, caller, refreshToken, email, person!.id)
}

export async function callOf(scenario: Scenario, prepare: Prepare): Promise<Call> {
  const prepared = await prepare(scenario)
  const call = typeof prepared === 'string' ? { text: prepared } : prepared
  return { text: '', variables: {}, caller: scenario.caller, ...call }
}
