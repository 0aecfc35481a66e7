import { expect } from 'vitest'
import { deploymentQueue } from '../../subgraphs/extensions/metadata/deployment.queue.ts'
import { drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { deploymentOf, json, project, type Deployed, type Files } from '../metadata/metadata.fixture.ts'
import type { Member, Platform } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { restClient, type Answer, type RestClient } from '../rest-client.ts'

export const manifest = (values: object = {}) => ({
  slug: 'site-maps',
  name: 'Site maps',
  version: '1.0.0',
  scopes: ['READ_ACCOUNTS'],
  ...values,
})

/** The files of a version. */
export const packaged = (given: Readonly<Record<string, object>>, values: object = {}): Files => ({
  ...project(given),
  'app.json': json(manifest(values)),
})

function accepted({ status, body }: Answer, ...expected: readonly number[]): Answer['body'] {
  expect(expected, JSON.stringify(body)).toContain(status)
  return body
}

function hasSucceeded({ status, problems }: Deployed): void {
  expect([status, problems]).toEqual(['SUCCEEDED', []])
}

/** Apps that one organization publishes in the marketplace, and another one installs. */
export class Apps {
  constructor(readonly platform: Platform) {}

  async publish(by: Member, files: Files, listing = 'LISTED'): Promise<void> {
    accepted(await by.rest['appPublish']!({ body: { source: { files } } } as never), 201)
    await this.platform.query(`update extensions.app_package set listing = $2 where organization_id = $1`, [
      by.organizationId,
      listing,
    ])
  }

  /** The REST client with a session of the user. */
  async session(by: Member): Promise<RestClient> {
    const { contract, url } = this.platform
    return restClient(contract, url, { Authorization: `Bearer ${await sessionOf(this.platform, by)}` })
  }

  async install(by: Member, values: object = {}): Promise<Answer> {
    const body = { slug: 'site-maps', scopes: ['READ_ACCOUNTS'], ...values }
    return (await this.session(by))['appInstall']!({ body } as never)
  }

  async update(by: Member, id: string, body: object): Promise<Answer> {
    return (await this.session(by))['installedAppUpdate']!({ id, body } as never)
  }

  async uninstall(by: Member, id: string): Promise<Answer> {
    return (await this.session(by))['appUninstall']!({ id } as never)
  }

  /** Carries out the deployments that wait, and answers what became of that of an accepted request. */
  async ended(by: Member, answer: Answer): Promise<Deployed> {
    const body = accepted(answer, 200, 202)
    await drain(deploymentQueue, this.platform.services)
    return deploymentOf(by, body['deploymentId'] as string)
  }

  async succeeded(by: Member, answer: Answer): Promise<Answer['body']> {
    hasSucceeded(await this.ended(by, answer))
    return answer.body
  }

  async list(by: Member): Promise<readonly Record<string, unknown>[]> {
    return accepted(await (await this.session(by))['installedAppList']!({}), 200)['data'] as never
  }
}
