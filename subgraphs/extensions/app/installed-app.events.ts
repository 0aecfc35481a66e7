import { auditRecord } from '../../identity/public.ts'
import type { TrackedObject } from '../../kernel/record/event-types.ts'

/** What the events and the audit log say of an installed app. Settings may be secret, so they are not among it. */
export interface AppInstalled {
  readonly id: string
  readonly organizationId: string
  readonly slug: string
  readonly name: string
  readonly publisherName: string
  readonly appVersion: string
  readonly scopes: readonly string[]
  readonly deploymentId: string | null
}

const shown = ({ id, organizationId, slug, name, publisherName, appVersion, scopes, deploymentId }: AppInstalled) => ({
  id,
  organizationId,
  slug,
  name,
  publisherName,
  appVersion,
  scopes: [...scopes],
  deploymentId,
})

export const installedApps: TrackedObject<AppInstalled> = {
  object: 'installed_app',
  eventTypes: { CREATE: 'app.installed', UPDATE: 'app.updated', DELETE: 'app.uninstalled' },
  isAdministrative: true,
  events: {
    types: {
      'app.installed': { operation: 'CREATE', description: 'An app was installed: its components are deployed.' },
      'app.updated': {
        operation: 'UPDATE',
        description: 'The version, the scopes or the settings of an installed app were changed.',
        before: { appVersion: '1.1.0' },
      },
      'app.uninstalled': { operation: 'DELETE', description: 'An app was removed with its components.' },
    },
    sample: {
      id: '019a0c5e-7f00-7b20-8d11-7a3c5e9f1b02',
      organizationId: '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01',
      slug: 'maps',
      name: 'Maps',
      publisherName: 'Cartographers',
      appVersion: '1.2.0',
      scopes: ['READ_ACCOUNTS'],
      deploymentId: '019a0c5e-7f00-7d31-8c22-5b7e9a1c4f08',
    },
    payload: {
      properties: {
        id: 'id',
        organizationId: 'id',
        slug: 'text',
        name: 'text',
        publisherName: 'text',
        appVersion: 'text',
        scopes: 'textList',
        deploymentId: 'id?',
      },
      of: shown,
    },
  },
  audit: auditRecord('installed_app', shown),
}
