import { newId } from '../../kernel/ids.ts'
import type { Migration } from '../../kernel/database/migrate.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { LogoImage } from './logo-image.ts'

export const logoTable: Migration = {
  name: '20261207-identity-organization-logo',
  sql: `
    create table identity.organization_logo (
      -- In the public address of the image. A new image has a new id, so that a browser may keep what it has loaded.
      id uuid primary key,
      organization_id uuid not null unique references identity.organization (id),
      media_type text not null,
      content bytea not null
    );
  `,
}

/** The logo of an organization, as its settings have it; the bytes are in a table of their own. */
export type Logo = Omit<LogoImage, 'content'> & { readonly id: string }
export type LogoContent = Pick<LogoImage, 'mediaType' | 'content'>

const columns = 'l.media_type as "mediaType", l.content'

/** The bytes of the logo of the caller's organization; null without one. */
export async function logoContent({ db, caller }: RequestContext): Promise<LogoContent | null> {
  const [row] = await db.query<LogoContent>(
    `select ${columns} from identity.organization_logo l where l.organization_id = $1`,
    [caller.organizationId],
  )
  return row ?? null
}

/** The logo with an id, of any organization that is not suspended. Everybody may see it, as everybody sees the mails and pages that show it. */
export async function publicLogo({ db }: RequestContext, id: string): Promise<LogoContent | null> {
  const [row] = await db.query<LogoContent>(
    `select ${columns} from identity.organization_logo l
     join identity.organization o on o.id = l.organization_id and o.status = 'ACTIVE' where l.id = $1`,
    [id],
  )
  return row ?? null
}

/** Replaces the logo of the caller's organization; null removes it. Returns what the settings of the organization must have. */
export async function storeLogo({ db, caller }: RequestContext, image: LogoImage | null): Promise<Logo | null> {
  await db.query('delete from identity.organization_logo where organization_id = $1', [caller.organizationId])
  if (image === null) return null
  const { content, ...shape } = image
  const id = newId()
  await db.query(
    'insert into identity.organization_logo (id, organization_id, media_type, content) values ($1, $2, $3, $4)',
    [id, caller.organizationId, shape.mediaType, content],
  )
  return { id, ...shape }
}
