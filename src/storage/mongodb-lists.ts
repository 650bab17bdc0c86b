import type { BoundTables } from '../tables/bind.ts';
import type { BoundTable } from '../tables/bound.ts';
import type { Backend, Page, Selection } from './backend.ts';
import { listAndCount } from './list-and-count.ts';
import type { Document, documentsOf } from './mongodb-documents.ts';
import { type SearchedGram, searchPattern } from './search/grams.ts';
import { havingGram, shown } from './search/mongodb.ts';
import { sampleOf, sampleSize } from './search/sample.ts';

/** The gram by which the index is read. */
interface Gram {
  forms: SearchedGram;
  /** Whether so few users are probably found that they can be counted and read at once. */
  isRare: boolean;
}

/** Lists and counts rows; users are searched by the index of their grams. */
export function mongodbLists(
  documents: ReturnType<typeof documentsOf>,
  tables: BoundTables,
): Pick<Backend, 'list' | 'count' | 'listAndCount'> {
  const sample = sampleOf(async () => {
    const texts = ['email', 'fullName'].map(property => tables.users.fields.get(property)!);
    const rows = await documents
      .collection(tables.users)
      .aggregate([
        { $sample: { size: sampleSize } },
        { $project: Object.fromEntries(texts.map(field => [field, 1])) },
      ])
      .toArray();
    return rows.map(row => texts.map(field => (typeof row[field] === 'string' ? row[field] : null)));
  });

  /** Returns the gram by which the index finds a text; null where users in their order are read instead. */
  async function gramOf(bound: BoundTable, { search }: Selection): Promise<Gram | null> {
    if (!search || bound !== tables.users) return null;
    const known = await sample();
    const frequency = known.frequencyOf(search.text);
    if (frequency === 'common') return null;
    return { forms: known.rarestGrams(search.text, 1)[0]!, isRare: frequency === 'rare' };
  }

  function filterOf(bound: BoundTable, { where, search }: Selection, gram: Gram | null = null): Document {
    const filter = documents.write(bound, where);
    if (!search) return filter;
    const pattern = new RegExp(searchPattern(search.text));
    const found = search.properties.map(property => documents.write(bound, { [property]: pattern }));
    return { ...filter, $and: [...(gram ? [havingGram(gram.forms)] : []), { $or: found }] };
  }

  /** Returns the filter for the rows of one page, as opposed to those of the whole list. */
  function behind(bound: BoundTable, { orderBy: [first, second], direction, after }: Page): Document[] {
    if (!after) return [];
    const [value, key] = after;
    const beyond = direction === 'asc' ? '$gt' : '$lt';
    const isBeyond = documents.write(bound, { [first]: { [beyond]: value } });
    if (!second) return [isBeyond];
    const isBeyondInSame = documents.write(bound, { [first]: value, [second]: { [beyond]: key } });
    // The bound of the first alone is what the server reads an index by.
    const isAtLeast = documents.write(bound, { [first]: { [`${beyond}e`]: value } });
    return [isAtLeast, { $or: [isBeyond, isBeyondInSame] }];
  }

  const orderOf = (bound: BoundTable, { orderBy, direction }: Page) =>
    documents.write(bound, Object.fromEntries(orderBy.map(property => [property, direction])));

  const list: Backend['list'] = async (bound, selection, page) => {
    const { limit = 0, offset = 0 } = page;
    const filter = filterOf(bound, selection, await gramOf(bound, selection));
    const rows = await documents
      .collection(bound)
      .find({ $and: [filter, ...behind(bound, page)] }, { ...shown, limit, skip: offset })
      .sort(orderOf(bound, page) as Record<string, 'asc' | 'desc'>)
      .toArray();
    return rows.map(row => documents.read<object>(bound, row));
  };

  const count: Backend['count'] = async (bound, selection, most) =>
    documents
      .collection(bound)
      .countDocuments(
        filterOf(bound, selection, await gramOf(bound, selection)),
        most === undefined ? {} : { limit: most },
      );

  /**
   * Reads a page out of all that the index finds, and counts them, in one aggregation: the index is then read once. Returns null
   * for another selection, and for one of which it finds too many for that.
   */
  async function listFew(bound: BoundTable, selection: Selection, page: Page, most: number) {
    const gram = await gramOf(bound, selection);
    if (!gram?.isRare) return null;
    const { limit, offset = 0 } = page;
    const order = Object.entries(orderOf(bound, page)).map(([field, way]) => [field, way === 'asc' ? 1 : -1]);
    const [found] = await documents
      .collection(bound)
      .aggregate<{ rows: Document[]; counted: { total: number }[] }>([
        { $match: filterOf(bound, selection, gram) },
        { $limit: most },
        { $project: shown.projection },
        {
          $facet: {
            rows: [
              ...behind(bound, page).map(condition => ({ $match: condition })),
              { $sort: Object.fromEntries(order) },
              ...(offset > 0 ? [{ $skip: offset }] : []),
              ...(limit === undefined ? [] : [{ $limit: limit }]),
            ],
            counted: [{ $count: 'total' }],
          },
        },
      ])
      .toArray();
    const total = found!.counted[0]?.total ?? 0;
    return total < most ? { rows: found!.rows.map(row => documents.read<object>(bound, row)), total } : null;
  }

  return {
    list,
    count,
    listAndCount: listAndCount({ list, count, listFew }),
  };
}
