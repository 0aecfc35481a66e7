import { activeSeller, logoContent } from '../../identity/public.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { DocumentSeller } from './priced-document.ts'

/** The organization of the context as its documents print it. */
export async function documentSeller(ctx: RequestContext): Promise<DocumentSeller> {
  const seller = await activeSeller(ctx)
  if (!seller) return { name: '' }
  const { name, address, taxId, color, logo } = seller
  const image = logo && (await logoContent(ctx))
  return {
    name,
    address,
    taxId,
    color,
    ...(logo &&
      image && { logo: { width: logo.width, height: logo.height, content: image.content.toString('base64') } }),
  }
}
