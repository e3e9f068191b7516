// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

// Events of tokens as the standards have them, and as contracts have had them that keep to none.

interface Erc20 {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);
}

interface Erc721 {
    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
}

interface Erc1155 {
    event TransferSingle(
        address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value
    );
    event TransferBatch(
        address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values
    );
}

interface Unindexed {
    event Transfer(address from, address to, uint256 tokenId);
    event TransferSingle(address operator, address indexed from, address indexed to, uint256 id, uint256 value);
    event TransferBatch(
        address operator, address indexed from, address indexed to, uint256[] ids, uint256[] values
    );
}

interface HalfIndexed {
    event Transfer(address indexed from, address to, uint256 value);
}

interface Nameless {
    event Transfer(address indexed from, address indexed to, uint256 value) anonymous;
}

interface Narrow {
    event Transfer(address indexed from, address indexed to, uint128 value);
}

/// Writes the logs that it is told to.
contract Emitter {
    function erc20(address from, address to, uint256 value) external {
        emit Erc20.Transfer(from, to, value);
    }

    function approval(address owner, address spender, uint256 value) external {
        emit Erc20.Approval(owner, spender, value);
    }

    function erc721(address from, address to, uint256 tokenId) external {
        emit Erc721.Transfer(from, to, tokenId);
    }

    function single(address from, address to, uint256 id, uint256 value) external {
        emit Erc1155.TransferSingle(msg.sender, from, to, id, value);
    }

    /// The lists need not be of one length.
    function batch(address from, address to, uint256[] calldata ids, uint256[] calldata values) external {
        emit Erc1155.TransferBatch(msg.sender, from, to, ids, values);
    }

    function unindexed(address from, address to, uint256 tokenId) external {
        emit Unindexed.Transfer(from, to, tokenId);
    }

    function unindexedSingle(address from, address to, uint256 id, uint256 value) external {
        emit Unindexed.TransferSingle(msg.sender, from, to, id, value);
    }

    function unindexedBatch(address from, address to, uint256[] calldata ids, uint256[] calldata values) external {
        emit Unindexed.TransferBatch(msg.sender, from, to, ids, values);
    }

    function halfIndexed(address from, address to, uint256 value) external {
        emit HalfIndexed.Transfer(from, to, value);
    }

    function nameless(address from, address to, uint256 value) external {
        emit Nameless.Transfer(from, to, value);
    }

    function narrow(address from, address to, uint128 value) external {
        emit Narrow.Transfer(from, to, value);
    }

    /// Whatever no compiler would write.
    function raw(bytes32[] calldata topics, bytes calldata data) external {
        bytes memory copy = data;
        assembly {
            let start := add(copy, 32)
            let size := mload(copy)
            let first := topics.offset
            switch topics.length
            case 0 { log0(start, size) }
            case 1 { log1(start, size, calldataload(first)) }
            case 2 { log2(start, size, calldataload(first), calldataload(add(first, 32))) }
            case 3 {
                log3(start, size, calldataload(first), calldataload(add(first, 32)), calldataload(add(first, 64)))
            }
            default {
                log4(
                    start,
                    size,
                    calldataload(first),
                    calldataload(add(first, 32)),
                    calldataload(add(first, 64)),
                    calldataload(add(first, 96))
                )
            }
        }
    }
}
