import { expect } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import type { Member, Platform } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { restClient, type Answer, type RestClient } from '../rest-client.ts'

export type Files = Readonly<Record<string, string>>

/** A slug that no other test has. */
export const aSlug = (): string => `app-${newId().slice(-12)}`

export const fieldFile = 'src/fields/ACCOUNT.geo_position.field.json'

export const aSlot = {
  key: 'map',
  label: 'Map',
  url: 'https://maps.example.com/embed',
  objectTypes: ['ACCOUNT'],
}

/** The files of an app: its manifest, and a project with one field. */
export const appFiles = (manifest: object = {}, others: Files = {}): Files => ({
  'app.json': JSON.stringify({ slug: 'app', name: 'Site maps', version: '1.0.0', scopes: [], ...manifest }),
  'service.project.json': JSON.stringify({ formatVersion: 1, name: 'site-maps' }),
  [fieldFile]: JSON.stringify({ entity: 'ACCOUNT', name: 'geo_position', label: 'Position', fieldType: 'TEXT' }),
  ...others,
})

export const publish = (by: Pick<Member, 'rest'>, files: Files): Promise<Answer> =>
  by.rest['appPublish']!({ body: { source: { files } } } as never)

/** Publishes an app with one field, and returns its version. */
export async function published(by: Member, manifest: object = {}, others: Files = {}): Promise<Answer['body']> {
  const { status, body } = await publish(by, appFiles(manifest, others))
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

/** The status and code of a refusal with its problems: `400 VALIDATION_FAILED app.json version WRONG_FORMAT`. */
export const refusedWith = ({ status, body }: Answer): string =>
  [
    [status, body.code].join(' '),
    ...(body.errors ?? []).map((one: Record<string, string>) => [one['file'], one['path'], one['code']].join(' ')),
  ].join('; ')

/** A client with a session of the user. */
export async function inSession(platform: Platform, by: Member): Promise<RestClient> {
  return restClient(platform.contract, platform.url, { Authorization: `Bearer ${await sessionOf(platform, by)}` })
}

/** Everything that publications write. */
export const writtenApps = (platform: Platform) =>
  platform.query(
    `select (select coalesce(json_agg(p order by p.id), '[]') from extensions.app_package p) as packages,
       (select coalesce(json_agg(v.sha256 order by v.id), '[]') from extensions.app_version v) as versions,
       (select count(*) from kernel.event where type like 'app%') as events`,
  )
