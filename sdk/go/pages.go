package chainfold

// Iterator iterates over the items of all pages of a list:
//
//	wallets := client.C.EachWallet(ctx, chainfold.ListWalletsRequest{})
//	for wallets.Next() { fmt.Println(wallets.Value().WalletID) }
//	if err := wallets.Err(); err != nil { … }
type Iterator[Item any] struct {
	fetch func() (items []Item, isLast bool, err error)
	items []Item
	value Item
	ended bool
	err   error
}

// Next moves to the next item, and reads the next page if necessary. It returns false after the last item or an error.
// The iteration of a feed never ends: after its last page it asks for later items, for which the service waits up to
// WaitSeconds.
func (i *Iterator[Item]) Next() bool {
	for len(i.items) == 0 {
		if i.ended {
			return false
		}
		i.items, i.ended, i.err = i.fetch()
		if i.err != nil {
			i.ended = true
			return false
		}
	}
	i.value, i.items = i.items[0], i.items[1:]
	return true
}

// Value returns the current item.
func (i *Iterator[Item]) Value() Item { return i.value }

// Err returns the error that ended the iteration, or nil.
func (i *Iterator[Item]) Err() error { return i.err }
