"""Why a move is refused: one code per reason, with the rule it comes from."""

from __future__ import annotations

from enum import Enum


class Refusal(Enum):
    """Reason code of an illegal move. The value is the sentence that error messages use."""

    DEAL_OVER = "the deal is over (J10.4, KL5.1)"
    NO_SUCH_ACTION = "it is no action number of this table"
    NOT_TO_MOVE = "this seat is not to move"
    NOT_IN_THIS_PHASE = "this kind of action does not belong to the present phase"
    # Draw
    NOT_DRAWN = "the seat has not drawn yet (J5.2)"
    ALREADY_DRAWN = "the seat has drawn already (J5.2)"
    STOCK_EXHAUSTED = "the stock is empty and cannot be renewed (J12.3)"
    PILE_EMPTY = "the pile is empty"
    NOT_THE_UPCARD = "only the top card of the pile may be taken (J5.2)"
    STOCK_ONLY_AFTER_CALL = "after an allowed call the next seat draws from the stock (J6.5)"
    # Cards
    CARD_NOT_HELD = "the hand does not hold this card"
    JOKER_DISCARD = "a joker is never discarded (J10.1)"
    MUST_DISCARD = "the hand holds a card that can be discarded (J10.3)"
    # Melds by themselves
    TOO_FEW_CARDS = "a three needs 3 cards and a four needs 4 (J3.1, J3.2), sets and runs need 3 (KL3.1, KL3.2)"
    RANKS_DIFFER = "the cards of a three or set are of one rank (J3.1, KL3.1)"
    SUITS_DIFFER = "the cards of a four or run are of one suit (J3.2, KL3.2)"
    NOT_CONSECUTIVE = "the cards of a four or run are consecutive, and no place is taken twice (J3.2, J3.6, KL3.2)"
    BEYOND_THE_ACE = "there is no place beyond the ace (J2.1, KL3.2)"
    ADJACENT_JOKERS = "two jokers would be neighbours (J3.4)"
    TOO_MANY_JOKERS = "more jokers than naturals can keep apart (J3.4)"
    TOO_FEW_NATURALS = "too few natural cards (J3.5, KL3.3)"
    TOO_MANY_CARDS = "a set has four cards at most (KL3.1)"
    SUIT_TWICE = "the cards of a set are of different suits (KL3.1)"
    ACE_IS_HIGH = "an ace is not low in a run under these rules (KL3.2)"
    NO_SUCH_CARDS = "the packs do not hold so many copies of this card (J1.1)"
    # Lay-down
    ALREADY_OPENED = "the seat has opened already (J7.1, J7.7, KL4.2)"
    NO_CONTRACT_IN_HAND = "the hand does not hold the contract of this deal (J7.2)"
    PARTIAL_CONTRACT = "melds of the contract are missing (J7.2)"
    SURPLUS_MELD = "more melds than the contract asks for (J7.2)"
    WRONG_CONTRACT = "other kinds of melds than the contract asks for (J7.2)"
    SAME_RANK = "the threes of a contract must be of different ranks (J7.4)"
    SAME_SUIT = "the fours of a contract must be of different suits (J7.4)"
    NOT_LAYING_DOWN = "the seat is not laying down its contract"
    MELD_NOT_NEEDED = "the contract has no further meld of this kind (J7.2)"
    CANNOT_BE_COMPLETED = "what is left of the contract or opening could not be laid then (J7.2, KL4.2)"
    OUT_OF_ORDER = "the cards of a three are placed in card order, jokers last"
    # Lay-offs and joker moves
    NOT_OPENED = "the seat has not opened (J8.1, J9.1, KL4.3, KL4.4)"
    NO_SUCH_MELD = "there is no such meld"
    DOES_NOT_FIT = "the card does not fit there (J8.3, J8.4)"
    NOTHING_FITS = "no card of the hand fits there (J8.3, J8.4)"
    PLACE_TAKEN = "the place of this card is taken (J8.4)"
    HIGH_END_FIRST = "the low end is closed until the four reaches the ace (J8.4)"
    OPENED_THIS_TURN = "jokers are moved in a later turn than the one of the opening (J9.1)"
    NOT_THE_OWNER = "only the seat that laid a four moves its jokers (J9.1)"
    FROZEN_IN_THREE = "jokers in threes stay where they are (J9.4)"
    NO_JOKER_FOR_CARD = "no joker of this four stands for this card (J9.1)"
    NO_JOKER_IN_FOUR = "the four has no joker, or the hand no card for it (J9.1)"
    # Kaluki
    NOT_ENOUGH_POINTS = "the melds are not worth the points that open, or not with what must be laid (KL4.2)"
    NO_MELDS_YET = "further melds are laid in a later turn than the one of the opening (KL4.3)"
    NO_LAY_OFF_YET = "cards are laid off in a later turn than the one of the opening (KL4.2, KL4.3)"
    NO_SUCH_NEW_MELD = "the hand holds no such meld, or could not lay what it must then (KL4.3)"
    NOT_LAYING_A_MELD = "no meld is being laid"
    MELD_INCOMPLETE = "the meld, or the rest of what must be laid, is not complete (KL3, KL4.2)"
    MUST_LAY = "a card that was taken must be laid in a new meld in this turn (KL4.1, KL4.4)"
    CANNOT_BE_SPARED = "the card is needed for what must be laid, or as the last discard (KL4.1, KL4.4, KL5.1)"
    UPCARD_NOT_LAID = "the upcard could not be laid in a new meld in this turn (KL4.1)"
    SET_IS_FULL = "the set has four cards (KL3.1)"
    SUIT_PRESENT = "the suit is in the set already (KL3.1)"
    ALL_MISSING_SUITS = "a joker leaves a set only for naturals of all suits that are not in it, which go in together (KL4.4)"
    NO_JOKER_TO_SWAP = "the meld has no joker for which the hand holds the card (KL4.4)"
    # Calls
    CALLS_DISABLED = "the rules have no calls"
    CALL_FIRST_UPCARD = "the first upcard cannot be called (J5.1)"
    CALL_OWN_DISCARD = "a seat cannot call its own discard (J6.2a)"
    CALL_NEXT_SEAT = "the seat whose turn comes next cannot call; it may take the card (J6.2b)"
    CALL_OPENED = "a seat that has opened cannot call (J6.2c)"
    CALL_LIMIT = "the seat has had all the calls that the rules allow (J6.2d)"
    CALL_NO_PENALTY_CARD = "no penalty card could be drawn, or nothing would be left for the next seat (J6.2e)"
    CALL_UNCOVERED_CARD = "a card uncovered by a call cannot be called (J6.5)"
    CALL_HEARD = "one call is heard per discard (J6.3, J6.6)"
    CALL_CLOSED = "no discard is open to calls"

    @property
    def code(self) -> str:
        """Name of the reason in lower case."""
        return self.name.lower()
