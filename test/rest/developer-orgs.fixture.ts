import { unchanged } from '../expectations.ts'
import { aPerson, password, type Person } from '../oauth/oauth.fixture.ts'
import type { Platform } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { restClient, type Answer, type RestClient } from '../rest-client.ts'

type Client = Pick<Person, 'rest'>

export const outcome = ({ status, body }: Answer): string =>
  status < 400 ? String(status) : `${status} ${(body as { code: string }).code}`

/** Developer organizations of one organization, as its owner has them over REST. */
export class Developer {
  private constructor(
    readonly platform: Platform,
    readonly owner: Person,
  ) {}

  static of = async (platform: Platform): Promise<Developer> =>
    new Developer(platform, await aPerson(platform, { role: 'OWNER' }))

  client = (headers: Readonly<Record<string, string>> = {}): RestClient =>
    restClient(this.platform.contract, this.platform.url, headers)

  create = (by: Client = this.owner, name = 'Sandbox', headers: Readonly<Record<string, string>> = {}) =>
    by.rest['developerOrgCreate']!({ body: { name }, headers })

  delete = (id: string, by: Client = this.owner) => by.rest['developerOrgDelete']!({ id })

  async created(by: Client = this.owner, name = 'Sandbox'): Promise<string> {
    const { status, body } = await this.create(by, name)
    if (status !== 201) throw new Error(JSON.stringify(body))
    return body.id as string
  }

  async listed(by: Client = this.owner): Promise<string[]> {
    const { body } = await by.rest['developerOrgList']!()
    return (body as { id: string }[]).map(({ id }) => id)
  }

  signIn = (organizationId?: string) =>
    this.client()['authLogin']!({
      body: { email: this.owner.email, password, ...(organizationId && { organizationId }) },
    })

  /** Signs the owner in to an organization. */
  async signedIn(organizationId: string): Promise<Client & { readonly userId: string }> {
    const { status, body } = await this.signIn(organizationId)
    if (body.organization?.id !== organizationId) throw new Error(`${status} ${JSON.stringify(body)}`)
    return { rest: this.client({ Authorization: `Bearer ${body.accessToken}` }), userId: body.user.id as string }
  }

  /** The owner with a new session, when the former one has expired. */
  async signedInAgain(): Promise<Client> {
    return { rest: this.client({ Authorization: `Bearer ${await sessionOf(this.platform, this.owner)}` }) }
  }

  /** The actions in the audit log and the types of the events of an organization, in order. */
  async written(organizationId: string): Promise<{ readonly audit: string[]; readonly events: string[] }> {
    const { query } = this.platform
    const audit = await query<{ action: string }>(
      'select action from identity.audit_entry where organization_id = $1 order by id',
      [organizationId],
    )
    const events = await query<{ type: string }>(
      'select type from kernel.event where organization_id = $1 order by id',
      [organizationId],
    )
    return { audit: audit.map(({ action }) => action), events: events.map(({ type }) => type) }
  }

  /** The outcome of a request that changes nothing. */
  async refused(send: () => Promise<Answer>): Promise<string> {
    await this.platform.settled()
    return outcome(await unchanged(this.platform, send))
  }
}
